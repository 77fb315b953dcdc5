"""Knowledge-base profiles: what makes the graphs independent of one field of knowledge."""
