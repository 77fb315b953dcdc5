"""Which situations the encoder never sees."""

from articulado.store.records.schema import Situation, load_situations
from tools.train_encoder import is_held_back

LABEL = "BOE-A-2015-11430#Artículo 49"


def situation(question, voice=None, provisions=(LABEL,), writer=""):
    return Situation(question=question, provisions=provisions, voice=voice, writer=writer)


def test_holding_back_depends_on_question_and_voice():
    # CRC-32 of "o" is 252678980, a multiple of 10 and not of 3; of "abc" 891568578, of 3 and not of 10.
    assert is_held_back(situation("o"))
    assert is_held_back(situation("o", "jerga", ("BOE-A-2015-11430#Artículo 1",)))
    assert is_held_back(situation("o", "breve")) is False
    assert is_held_back(situation("abc", "breve"))
    assert not is_held_back(situation("abc"))
    assert not is_held_back(situation("abc", "relato"))


def test_those_of_a_named_writer_are_all_held_back():
    assert is_held_back(situation("abc", writer="ana")) is True


def test_one_in_ten_is_held_back_and_one_in_three_of_the_brief():
    situations = [one for one in load_situations() if not one.writer]
    brief = [is_held_back(one) for one in situations if one.voice == "breve"]
    others = [is_held_back(one) for one in situations if one.voice != "breve"]
    assert 1 / 12 < sum(others) / len(others) < 1 / 8
    assert 1 / 4 < sum(brief) / len(brief) < 1 / 2
