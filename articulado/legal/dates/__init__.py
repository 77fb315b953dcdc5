"""Days named in a question: forms, relative days, events and reforms."""
