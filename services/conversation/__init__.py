"""What a turn means in its conversation: the provisions that it takes over, and the subject that it leans on."""
