"""Look-up API: provisions, wordings, references and answers as typed results."""
