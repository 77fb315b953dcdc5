"""Cut text into parents, which are shown, and children, which are embedded."""
