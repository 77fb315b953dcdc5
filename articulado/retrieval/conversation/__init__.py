"""Follow-up detection, and the subject of a conversation."""
