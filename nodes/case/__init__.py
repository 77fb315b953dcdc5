"""Stages of case handling, one file each; search and reranking are those of the answering graph."""
