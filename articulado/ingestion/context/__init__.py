"""Context of child chunks: breadcrumbs, and context sentences written by a chat model."""
