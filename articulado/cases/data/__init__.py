"""The data of a case read: by the type, the list and the range of their fields, and put to the rules of its guide."""
