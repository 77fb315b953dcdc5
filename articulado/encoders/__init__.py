"""Encoders: BM25 sparse vectors, the trained dual encoder, and precedents."""
