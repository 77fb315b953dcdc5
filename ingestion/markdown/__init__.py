"""Laws from Markdown with front matter."""
