"""Check an answer against the text of the fragments that it was written from: by rules, without a model call."""
