"""Text processing without law: folding, numerals, quantities, dates, sentences, stems, messages."""
