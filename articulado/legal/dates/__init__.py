"""Days named in a question: date forms, relative days, events and reforms."""
