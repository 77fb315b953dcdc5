"""Conversations kept by the server: store, export, feedback, retention."""
