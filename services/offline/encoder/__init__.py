"""The dual encoder: questions and documents by axes of their own, into one space of vectors."""
