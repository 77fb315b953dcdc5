"""The stages: accept, download, discover, read, link, contextualize, write_index, summarize; one a file."""
