"""Recorded runs: what chat models were asked and what they wrote, kept to run the graph again without them."""
