"""Offline chat models: answers quoted from the retrieved fragments, without a provider.

``ExtractivePrincipal`` writes the answer. ``KeywordReader`` writes the search queries.
"""
