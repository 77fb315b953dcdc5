"""Knowledge of Spanish law without any service: names, numbers, citations, dates, territory."""
