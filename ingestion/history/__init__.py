"""Dated wordings out of several texts of one law."""
