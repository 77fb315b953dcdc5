"""Domains of knowledge: comparison of question and text by concepts, stems and citations."""
