"""Retrieval of other projects on the same provisions and questions, for comparison (extra ``peers``)."""
