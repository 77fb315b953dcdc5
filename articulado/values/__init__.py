"""Typed values shared by all packages: chunks, candidates, answers, findings, errors and Protocols."""
