"""Collective agreements: for whom, where and when one was agreed, and which one a text names."""
