"""The models that need no provider: they write searches, quote answers and encode texts."""
