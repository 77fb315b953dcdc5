"""Stages of ingestion, one file per stage.

Their order is accept, download, discover, read, link, contextualize, write_index, summarize.
"""
