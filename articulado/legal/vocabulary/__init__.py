"""Synonyms, matters outside the statutes, and special regimes."""
