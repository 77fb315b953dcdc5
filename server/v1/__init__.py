"""JSON API ``/v1``: questions, cases, the law and checks."""
