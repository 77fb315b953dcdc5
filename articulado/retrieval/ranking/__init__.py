"""Rerankers, one per strategy, and the final scores."""
