"""Reader of laws in Markdown."""
