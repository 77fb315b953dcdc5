"""Gold sets through the graph: what was found, and what changes it."""
