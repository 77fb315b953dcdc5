"""Stages of case handling, one file per stage.

Search and reranking are the stages of the answering graph.
"""
