"""Maintenance tools: training of the packaged models, and checks of records, dependencies and text."""
