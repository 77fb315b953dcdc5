"""Everything else that is read: PDF, DOCX, HTML, plain text, with a header or without."""
