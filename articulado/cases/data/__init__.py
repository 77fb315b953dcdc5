"""Parsing and validation of the data collected for a case, and the decision rules on them."""
