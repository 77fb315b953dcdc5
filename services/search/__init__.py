"""Finding provisions: reading the question, searching, and looking up what it names."""
