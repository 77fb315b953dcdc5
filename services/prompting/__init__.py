"""What a chat model is sent, and how its reply is read."""
