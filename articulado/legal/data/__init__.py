"""TOML tables: laws, ranks, reforms, events, territory, sectors, synonyms, regimes, matters.

The header of each file documents its fields.
"""
