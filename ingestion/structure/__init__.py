"""What tells the provisions of a text that has lost its marks: openings, chapters, contents, annexes."""
