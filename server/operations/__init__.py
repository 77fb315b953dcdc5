"""Operation of the server: health, metrics, traces and the request log."""
