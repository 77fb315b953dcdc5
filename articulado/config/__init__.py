"""Settings, profiles, optional extras and limits."""
