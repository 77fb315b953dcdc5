"""What people and programs ask of the law: the same operations behind ``/v1``, the MCP server and the page."""
