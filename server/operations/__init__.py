"""What an operator sees of the server: its health, figures, and a log of requests."""
