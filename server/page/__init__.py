"""Chat page for the browser."""
