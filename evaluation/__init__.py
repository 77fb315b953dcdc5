"""Gold sets, metrics, ablation runs, report: the harness that shows what retrieval and answers are worth."""
