"""MCP server: the law and the answers as tools for chat programs and agents."""
