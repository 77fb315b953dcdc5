"""Prompts, rendering of fragments, and the self-evaluation protocol (===META===)."""
