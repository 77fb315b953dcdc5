"""Text without law: folding, numerals, quantities, dates, sentences, tokens, translation of messages."""
