"""The packaged records: their schema, the chunks made of them, and a look-up in them."""
