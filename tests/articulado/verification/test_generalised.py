"""A claim that is general where its source has a condition is told; one that keeps it, or a general source, is not."""

import pytest

from articulado.verification.claims.denials import generalised
from articulado.verification.claims.findings import claim_findings
from articulado.verification.reading import read_answer
from articulado.verification.sources import Source

WRITTEN = (
    "La información sobre los riesgos propios del centro se facilitará por escrito cuando alguno de los riesgos sea "
    "calificado como grave o muy grave."
)
PAID = (
    "Los representantes sindicales que participen en las comisiones negociadoras tendrán derecho a los permisos "
    "retribuidos necesarios, siempre que la empresa esté afectada por la negociación."
)
ALWAYS = (
    "La información sobre los riesgos propios del centro se facilitará por escrito en todo caso si alguien la pide."
)


def source(text: str) -> list[Source]:
    return [Source(1, "", "Ley", "Artículo 1", "art:1", text)]


@pytest.mark.parametrize(
    ("text", "faulty", "where"),
    [
        (WRITTEN, "La información de los riesgos del centro se facilita por escrito en todos los casos.", "La inf"),
        (PAID, "Tienes derecho a los permisos retribuidos en las comisiones negociadoras, aunque tu empresa no esté "
               "afectada por la negociación.", "aunque tu empresa"),
    ],
)  # fmt: skip
def test_a_lost_condition_is_told(text: str, faulty: str, where: str) -> None:
    found = generalised(faulty, source(text))
    assert found is not None
    assert faulty[found.start : found.end].startswith(where)
    assert found.wording == text


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (WRITTEN, "La información de los riesgos del centro se facilita por escrito si son graves."),
        (WRITTEN, "La información de los riesgos del centro se facilita siempre por escrito, pero solo si son graves."),
        (WRITTEN, "El salario se paga en todos los casos."),
        (ALWAYS, "La información de los riesgos del centro se facilita por escrito en todos los casos."),
    ],
)
def test_a_condition_that_is_kept_another_subject_and_a_general_source_are_not(text: str, right: str) -> None:
    assert generalised(right, source(text)) is None


def test_the_finding_is_a_warning_about_the_condition() -> None:
    text = "La información de los riesgos del centro se facilita por escrito, con independencia de su gravedad [C1]."
    (finding,) = claim_findings(read_answer(text, "", source(WRITTEN)))
    assert (finding["check"], finding["kind"], finding["severity"]) == ("condition", "generalised", "warning")
    assert finding["where"] == "con independencia de su gravedad"
