"""Gold sets: questions and the provisions that answer them."""
