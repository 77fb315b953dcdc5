"""The MCP server: the law and the answers of the desk as tools for chat programs and agents."""
