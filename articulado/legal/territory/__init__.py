"""Communities, provinces and cities named in a text."""
