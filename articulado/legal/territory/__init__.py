"""Communities, provinces and cities named in text."""
