"""Retrieval of other projects on the same provisions and questions, for comparison.

It needs the optional extra ``peers``. A peer without its packages is left out, and the report says so.
"""
