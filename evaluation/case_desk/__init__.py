"""Evaluation of the case graphs on labelled inquiries, and calibration of their confidence."""
