"""Other protocols' views of an agent. A face reads events and calls public functions."""
