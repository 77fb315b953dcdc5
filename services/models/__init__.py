"""Chat models, embedders and encoders, and what they need: retries, tokens, a cache of vectors."""
