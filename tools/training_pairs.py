"""Write the questions of the packaged records with the provisions that answer them, to train or test a ranking on.

    python -m tools.training_pairs > pairs.jsonl

A line is {"id", "question", "relevant": {"<BOE id>#<label>": 2}}, the form of the gold sets that
``articulado eval`` reads. Nobody who is to be tested on these questions may have been trained on them.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from articulado.language.folding import fold
from articulado.store.records.schema import Corpus, load_corpus


def question_pairs(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Yield each question once, with every provision whose record asks it, in the order of the corpus."""
    answers: dict[str, dict[str, int]] = defaultdict(dict)
    spelling: dict[str, str] = {}
    for record in corpus.provisions:
        for question in record.questions:
            answers[spelling.setdefault(fold(question), question)][f"{record.law_id}#{record.provision}"] = 2
    for number, (question, relevant) in enumerate(answers.items(), start=1):
        yield {"id": f"lenguaje-claro-{number}", "question": question, "relevant": relevant}


def main() -> None:
    """Write the pairs of the packaged corpus to stdout."""
    for pair in question_pairs(load_corpus()):
        sys.stdout.write(json.dumps(pair, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
