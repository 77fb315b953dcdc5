"""Clients of chat and embedding providers: retries, deadlines, structured output, token counts."""
