"""Reports of a run: JSON for programs, Markdown and charts for people."""
