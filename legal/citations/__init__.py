"""Find the provisions that a text cites."""
