"""Packaged plain-language records of provisions, rulings and criteria."""
