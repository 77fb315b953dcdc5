"""Encoders: BM25 sparse vectors, the trained dual encoder, a sentence encoder, and known questions."""
