"""Case guides: the article schema, its checks, and the conversion of articles to chunks."""
