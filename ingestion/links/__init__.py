"""Citations to references between chunks."""
