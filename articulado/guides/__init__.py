"""Case guides: schema, loading, checks, and their chunks."""
