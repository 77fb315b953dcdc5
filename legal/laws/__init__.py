"""The norms: the registry, their names and numbers, where a text mentions them, their ranks."""
