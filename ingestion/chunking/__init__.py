"""Parents and children: how text is cut."""
