"""Split of the situations into training and held-out data, and question pairs of the corpus.

The encoder is trained without the held-out situations. They train the models that judge its results.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from articulado.language.folding import fold
from articulado.store.records.schema import Corpus, Situation, load_corpus

_ONE_IN, _ONE_IN_OF_BRIEF = 10, 3


def is_held_back(situation: Situation) -> bool:
    """Tell whether the encoder never sees a situation: one in ten, one in three of the brief ones, wherever they stand.

    What is learnt about the similarity of a question and a provision has to be learnt of questions that the encoder
    was not trained on, and most of all of those that say little.
    """
    return crc32(situation.question.encode()) % (_ONE_IN_OF_BRIEF if situation.voice == "breve" else _ONE_IN) == 0


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
