"""Adapters of outside things, one each, and the Protocols that stages see."""
