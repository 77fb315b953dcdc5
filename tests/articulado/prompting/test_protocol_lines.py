"""Which texts are looked through for lines of the protocol."""

import pytest

from articulado.prompting.answer_text import may_hold_protocol
from articulado.prompting.stream_splitter import defuse_self_evaluation


@pytest.mark.parametrize("text", ["===META===", "Plazo\n-- Metadatos --", "uſed|1", "ＮＥＥＤ｜x", "DROP : 2"])
def test_a_text_with_a_word_of_the_protocol_may_hold_it(text):
    assert may_hold_protocol(text)


def test_the_text_of_a_law_holds_none():
    assert not may_hold_protocol("El plazo será de veinte días.\n---\n=== a) ===")


def test_defuses_every_form_of_the_protocol():
    defused = [defuse_self_evaluation(text) for text in ("===META===", "USED|1", "ＤＲＯＰ：2")]
    assert defused == ["=META=", "USED/1", "ＤＲＯＰ/2"]
