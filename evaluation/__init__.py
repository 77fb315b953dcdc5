"""Evaluation harness for retrieval and answers: gold sets, metrics, ablation and reports."""
