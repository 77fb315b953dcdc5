"""The context that a child is embedded with: its breadcrumb, and a sentence that the reader model writes."""
