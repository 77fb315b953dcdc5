"""Settings, profiles, optional extras, and limits on reading files."""
