"""The judgement whether what was found answers a question, and what the question is about where it does not."""
