"""Spanish law without input or output: citations, laws, dates, territory, vocabulary, agreements."""
