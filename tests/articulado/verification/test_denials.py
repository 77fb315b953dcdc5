"""A word that a claim denies and its source does not is told, or the other way round; the same said anew is not."""

import pytest

from articulado.verification.claims.denials import contradicted
from articulado.verification.claims.findings import claim_findings
from articulado.verification.reading import read_answer
from articulado.verification.sources import Source

TRAINING = (
    "El tiempo destinado a la formación se considerará en todo caso tiempo de trabajo efectivo y el empresario abonará "
    "al trabajador el salario medio que viniera percibiendo."
)
DUTY = (
    "Durante la incapacidad temporal continúa la obligación de cotizar. Dicha obligación no subsistirá durante la "
    "prórroga de los efectos de la situación de incapacidad temporal."
)
HOME = (
    "El abandono del domicilio ante una situación de violencia o acoso sufrida por la persona trabajadora no podrá "
    "considerarse dimisión ni podrá ser causa de despido."
)
PUNISHED = "Si no se impusiese sanción, se reanudará de oficio la percepción de las prestaciones suspendidas."
FORBIDDEN = (
    "Dentro del periodo no podrán realizarse horas extraordinarias ni concertarse nuevas contrataciones laborales."
)
SPECIAL = (
    "Las acciones derivadas del contrato que no tengan señalado plazo especial prescribirán al año de su terminación."
)


def source(text: str) -> list[Source]:
    return [Source(1, "", "Ley", "Artículo 1", "art:1", text)]


@pytest.mark.parametrize(
    ("text", "faulty", "is_denied"),
    [
        (TRAINING, "El tiempo destinado a la formación no se considera tiempo de trabajo efectivo.", False),
        (DUTY, "Durante la prórroga de los efectos de esa situación, la obligación subsiste.", True),
        (HOME, "Abandonar el domicilio por violencia o acoso sufrido puede considerarse dimisión.", True),
    ],
)
def test_the_word_that_the_source_denies_or_does_not_is_told(text: str, faulty: str, is_denied: bool) -> None:
    found = contradicted(faulty, source(text))
    assert found is not None
    assert (found.real.is_denied, found.claim.is_denied) == (is_denied, not is_denied)
    assert found.real.sentence in text


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (TRAINING, "El tiempo destinado a la formación se considera tiempo de trabajo efectivo."),
        (DUTY, "Durante la prórroga de los efectos de esa situación, la obligación no subsiste."),
        (HOME, "Abandonar el domicilio por violencia o acoso sufrido no puede considerarse dimisión."),
        (PUNISHED, "Si no, se reanuda de oficio la percepción de las prestaciones suspendidas."),
        (FORBIDDEN, "Se prohíbe dentro del periodo realizar horas extraordinarias y concertar nuevas contrataciones."),
        (SPECIAL, "Las acciones del contrato sin plazo especial prescriben al año de su terminación."),
        (HOME, "Cuando el abandono del domicilio no se considera dimisión, la trabajadora sufrida por acoso vuelve."),
        (DUTY, "Son seis meses de prórroga de la incapacidad temporal, y no los efectos de la obligación."),
    ],
)
def test_the_same_conditions_prohibitions_and_contrasts_are_not(text: str, right: str) -> None:
    assert contradicted(right, source(text)) is None


def test_the_finding_quotes_the_source() -> None:
    answer = read_answer(
        "Durante la prórroga de los efectos de esa situación, la obligación subsiste [C1].", "", source(DUTY)
    )
    (finding,) = claim_findings(answer)
    assert (finding["check"], finding["kind"], finding["mark"]) == ("negation", "denial", "C1")
    assert finding["where"] == "la obligación subsiste"
    assert "«subsistirá»" in finding["message"]
