"""Knowledge-base articles: one YAML file each, described in profiles/README.md."""
