"""Parser of citations of provisions in Spanish text."""
