"""What the answers to a gold set are worth."""
