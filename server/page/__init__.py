"""The chat page: what a person opens in a browser."""
