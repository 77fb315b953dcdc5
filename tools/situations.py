"""Which situations teach the encoder, and which are held back to teach what judges its results."""

from zlib import crc32

from articulado.store.records.schema import Situation

_ONE_IN, _ONE_IN_OF_BRIEF = 10, 3


def is_held_back(situation: Situation) -> bool:
    """Tell whether the encoder never sees a situation: one in ten, one in three of the brief ones, wherever they stand.

    What is learnt about the similarity of a question and a provision has to be learnt of questions that the encoder
    was not trained on, and most of all of those that say little.
    """
    return crc32(situation.question.encode()) % (_ONE_IN_OF_BRIEF if situation.voice == "breve" else _ONE_IN) == 0
