"""Stages of ingestion: accept, download, discover, read, link, contextualize, write_index, summarize."""
