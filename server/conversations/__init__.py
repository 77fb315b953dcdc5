"""Conversations stored by the server: store, export, feedback, retention."""
