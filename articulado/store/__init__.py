"""Chunk stores: embedded index (Qdrant Edge), Qdrant server, and packaged records."""
