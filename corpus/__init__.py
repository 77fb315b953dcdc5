"""The packaged demo corpus: data only (see README.md)."""
