"""Evaluation of retrieval on gold sets: metrics, ablation and comparison of strategies."""
