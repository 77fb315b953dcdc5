"""Verification of answers, dossiers and briefs against their sources."""
