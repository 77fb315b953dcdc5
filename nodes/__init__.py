"""Stages of the graphs, one file each: state, runtime and keyword-only services in, an update out.

A stage's docstring names the state keys that it reads besides ``turn_question``, ``store``, ``deadline`` and the days
of the run. Its update type lists the keys that it writes.
"""
