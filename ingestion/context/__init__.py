"""What a child is embedded with beside its own text."""
