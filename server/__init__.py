"""HTTP server of the agent: LangServe, ``/v1``, MCP, the chat page and the Agent Server adapter."""
