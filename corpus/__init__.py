"""Packaged demo corpus: data only.

README.md in this folder describes the files.
"""
