"""Case desk: article matching, required data, decision, answer and confidence."""
