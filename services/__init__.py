"""Services behind the stages."""
