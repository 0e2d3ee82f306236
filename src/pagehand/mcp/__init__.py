"""MCP servers over streamable HTTP, with a client of our own over the Http port."""
