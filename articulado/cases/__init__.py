"""Case desk: required data, decision and confidence."""
