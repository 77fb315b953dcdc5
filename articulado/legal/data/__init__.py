"""TOML tables of Spanish law; the header of each file documents its fields."""
