"""Documents in, chunks out: readers, chunking, links, and the index built from them."""
