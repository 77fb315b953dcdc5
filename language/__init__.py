"""Pure text: how words, numbers and days are written and read, in Spanish and in English; no law."""
