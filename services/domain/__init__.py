"""Domains of knowledge: how a question of one is read, and how it is compared with a text."""
