"""What says the same as its source, claims nothing, or is not in the source, is not told; any text is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.values.findings import Finding
from articulado.verification.claims.findings import claim_findings
from articulado.verification.reading import read_answer
from articulado.verification.sources import Source

CHOICE = (
    "Notificada la decisión de traslado, el trabajador tendrá derecho a optar entre el traslado, percibiendo una "
    "compensación por gastos, o la extinción de su contrato, percibiendo una indemnización de veinte días de salario "
    "por año de servicio."
)
COST = (
    "El coste de las medidas relativas a la seguridad y la salud en el trabajo no deberá recaer en modo alguno sobre "
    "los trabajadores."
)


def told(answer: str, source: str) -> list[Finding]:
    """Return the findings of an answer that was written from one source."""
    return claim_findings(read_answer(answer, "", [Source(1, "", "", "Artículo 1", "art-1", source)]))


@pytest.mark.parametrize(
    ("source", "right"),
    [
        (CHOICE, "El trabajador puede optar por el traslado o por la extinción de su contrato. [C1]"),
        (COST, "El coste de las medidas de seguridad y salud no debe recaer sobre los trabajadores. [C1]"),
        (COST, "Consulta con tu delegado si el coste de las medidas de seguridad debe recaer sobre los trabajadores."),
        (COST, "¿El coste de las medidas de seguridad y salud debe recaer sobre los trabajadores?"),
        (COST, "La indemnización del despido improcedente es de treinta y tres días de salario por año. [C1]"),
    ],
)
def test_says_nothing_of_what_is_right_is_no_claim_or_is_not_in_the_source(source: str, right: str) -> None:
    assert told(right, source) == []


@given(st.text(alphabet="aáñ €%.,;:()[]C1\n*noy23 sin", max_size=80))
def test_any_text_is_read_with_its_places(text: str) -> None:
    for finding in told(text, COST):
        assert text[finding["start"] : finding["end"]] == finding["where"]
