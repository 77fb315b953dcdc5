"""Our own API: questions, cases, the law and checks, as JSON."""
