"""Communities and cities, and where a text names them."""
