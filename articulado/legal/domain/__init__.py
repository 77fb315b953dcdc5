"""Comparison of question and text by the concepts, stems and citations of a field."""
