"""Chat and embedding providers: retries, deadlines, structured output, token counts."""
