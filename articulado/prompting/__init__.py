"""Prompts, context fragments, citation markers, and the self-evaluation protocol (``===META===``)."""
