"""Conversations that outlive a request: where they are kept, and what becomes of them."""
