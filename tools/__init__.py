"""What maintainers run: training the packaged encoder, and checking the packaged records."""
