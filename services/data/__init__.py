"""Word lists that services read."""
