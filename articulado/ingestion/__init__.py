"""Ingestion of documents: readers, chunking, citation links, and index building."""
