"""What happened on a day: the table, and which of several events a date is of."""

import pytest
from pydantic import ValidationError

from articulado.language.folding import fold
from articulado.legal.dates.events import Events, load_events


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("me despidieron @", "decides"),
        ("@ me despidieron", "decides"),
        ("nací @", "fact"),
        ("nací en Lugo @ y me despidieron", "fact"),
        ("nací en Lugo y @ me despidieron", "decides"),
        ("nací. @ hubo otra ley", None),
        ("accidente de trabajo en @", "decides"),
        ("trabajo en Lugo desde @", "fact"),
        ("puesto de trabajo en Lugo desde @", None),
        ("alta dirección @", None),
        ("alta médica @", "decides"),
        ("alta @", "fact"),
        ("me rescindieron el contrato @", "decides"),
        ("contratos temporales anteriores a @", "fact"),
        ("contratos temporales @", None),
        ("despido uno dos tres cuatro cinco seis siete ocho nueve diez once doce @", "decides"),
        ("despido uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece @", None),
        ("@", None),
    ],
)
def test_the_nearest_event_counts(text, kind):
    folded = fold(text)
    assert Events(folded).kind_at(folded.index("@"), folded.index("@") + 1) == kind


TABLE = 'decides = ["a"]\nfacts = ["b"]\nneither = []\nasked = ["era"]\nnow = []\n'


def test_a_table_is_read():
    assert load_events(TABLE).kinds() == {"a": "decides", "b": "fact"}


def test_a_phrase_of_two_kinds_is_told():
    with pytest.raises(ValueError, match="«naci» está en dos listas"):
        load_events('decides = ["nací"]\nfacts = ["naci"]\nneither = []\nasked = ["era"]\nnow = []')


@pytest.mark.parametrize("source", [TABLE.replace('"a"', ""), TABLE + "otra = []", TABLE.replace("neither = []", "")])
def test_what_breaks_the_schema_is_refused(source):
    with pytest.raises(ValidationError):
        load_events(source)
