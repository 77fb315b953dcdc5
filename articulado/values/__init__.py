"""Typed values that all rooms exchange: chunks, candidates, answers, findings, errors, Protocols."""
