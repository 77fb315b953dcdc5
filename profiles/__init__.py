"""Knowledge-base profiles: data only."""
