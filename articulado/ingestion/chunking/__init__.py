"""Division of laws and documents into parent and child chunks."""
