"""The chunk store: an embedded and a server adapter, and how an index is laid out, built and switched."""
