"""The LangServe endpoint."""
