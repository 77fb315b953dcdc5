"""Claims that say the opposite of their source."""

import pytest

from articulado.verification.claims.polarity import opposed
from articulado.verification.sources import Source

NIGHT = "Los trabajadores nocturnos no podrán realizar horas extraordinarias."
REFUND = "Transcurrido el plazo sin resolución expresa, podrá entenderse desestimada la solicitud."
ORPHAN = "La pensión de orfandad será compatible con cualquier renta del trabajo del huérfano."
PLAN = "La inscripción de los planes de igualdad en el registro es obligatoria, sea el plan obligatorio o voluntario."


def source(text):
    return Source(1, "BOE-A-2015-11430", "ET", "Artículo 36", "art:36", text)


@pytest.mark.parametrize(
    ("claim", "text", "real"),
    [
        ("Los trabajadores nocturnos pueden hacer horas extraordinarias [C1].", NIGHT, False),
        ("A los trabajadores nocturnos se les permite hacer horas extraordinarias.", NIGHT, False),
        ("Pasado el plazo sin resolución expresa, se entiende estimada la solicitud.", REFUND, False),
        ("La pensión de orfandad es incompatible con una renta del trabajo.", ORPHAN, True),
        ("La pensión de orfandad no es compatible con una renta del trabajo.", ORPHAN, True),
    ],
)
def test_the_opposite_of_a_source_is_told(claim, text, real):
    found = opposed(claim, [source(text)])
    assert found is not None
    assert found.real.affirmed is real


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Los trabajadores nocturnos no pueden hacer horas extraordinarias.", NIGHT),
        ("La ley prohíbe a los trabajadores nocturnos hacer horas extraordinarias.", NIGHT),
        ("Pasado el plazo sin resolución expresa, se entiende desestimada la solicitud.", REFUND),
        ("La pensión de orfandad es compatible con una renta del trabajo.", ORPHAN),
        # A sentence that says both says nothing of which it is.
        ("La inscripción de los planes de igualdad en el registro es voluntaria.", PLAN),
        # A limit is no denial.
        ("Los trabajadores nocturnos no pueden superar ocho horas de jornada.", "La jornada podrá ser de ocho horas."),
        # About something else.
        ("Los trabajadores a distancia pueden pedir un cambio de turno.", NIGHT),
    ],
)
def test_what_a_source_says_or_does_not_speak_of_is_not_told(claim, text):
    assert opposed(claim, [source(text)]) is None
