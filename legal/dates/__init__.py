"""Find the day as of which a question asks for the law."""
