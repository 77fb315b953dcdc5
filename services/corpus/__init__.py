"""The packaged records: their schema, the chunks made of them, and the look-up of questions in them."""
