"""Sentence encoder trained on labour law, its precedents, and the BM25 encoder."""
