"""Conversations through the answering graph, turn by turn, and what each turn keeps and brings."""
