"""Sentences that situate a chunk in its document, written by a chat model."""
