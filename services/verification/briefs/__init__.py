"""Check a brief: the provisions, quotations and figures of a lawyer's document, against the law of its day."""
