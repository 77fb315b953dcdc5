"""References from one provision to another."""
