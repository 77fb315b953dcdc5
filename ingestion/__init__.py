"""Law files in, chunks out, index built."""
