"""Who may call the server."""
