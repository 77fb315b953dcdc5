"""Recordings of runs: prompts and replies of chat models, to replay the graph without the models."""
