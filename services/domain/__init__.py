"""A field of knowledge: what a question and a text of it have in common."""
