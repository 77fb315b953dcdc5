"""Dense vectors without a model to download: an encoder that learns from the corpus and from how people ask."""
