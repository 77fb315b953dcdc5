"""Registry of laws: identifiers, names, numbers and ranks."""
