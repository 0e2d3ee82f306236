"""What a model may reach on the network: addresses judged, and the fetch that obeys."""
