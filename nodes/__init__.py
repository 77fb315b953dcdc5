"""Stages of the graphs: one file per stage, named after the stage."""
