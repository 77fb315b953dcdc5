"""What is said of the wrong case or subject, or the other way round, is told; what says the same is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.verification.claims import claim_findings
from services.verification.claims.contrasts import contrasts, terms_among
from services.verification.claims.evidence import AFFIRMED, DENIAL, EvidenceReader, candidates_of
from services.verification.claims.model import ClaimModel
from services.verification.claims.passages import clause_around, passages_of, read_passage
from services.verification.reading import read_answer
from services.verification.sources import Source
from state.verification import Finding

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


def labels(words: str) -> list[str]:
    """Return the labels of the terms among words."""
    return [contrasts()[t.contrast].members[t.member].label for t in terms_among(words.split())]


def compared(text: str) -> list[str]:
    """Return the labels of the comparisons of a text."""
    terms = [(contrasts()[t.contrast], t.member) for t in read_passage(text).terms]
    return [contrast.members[member].label for contrast, member in terms if contrast.name == "compare"]


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


def test_tells_another_case_than_that_of_the_source() -> None:
    source = (
        "Constituye discriminación directa por razón de sexo todo trato desfavorable a las mujeres relacionado con el "
        "embarazo o la maternidad."
    )
    assert told("Todo trato desfavorable por embarazo o maternidad es discriminación directa. [C1]", source) == []
    (finding,) = told(
        "Todo trato desfavorable por embarazo o maternidad es discriminación indirecta por razón de sexo. [C1]", source
    )
    assert (finding["check"], finding["severity"], finding["mark"]) == ("condition", "warning", "C1")
    assert "«indirecta»" in finding["message"]
    assert finding["evidence"] == source


def test_the_longest_wording_is_the_term() -> None:
    assert labels("pension no contributiva") == ["no contributiva"]
    assert labels("infraccion muy grave") == ["muy grave"]


def test_a_word_of_negation_turns_a_comparison() -> None:
    assert compared("una duración superior a tres años") == ["más de"]
    assert compared("no podrá tener una duración superior a tres años") == ["menos de"]


def test_numbers_in_words_are_figures_with_what_they_count() -> None:
    passage = read_passage("treinta y tres días de salario y el 60 % de la base")
    assert [(passage.stems[place], unit) for place, unit in passage.figures] == [("33", "dia"), ("60", "%")]


def test_what_a_list_denies_is_denied_of_its_items() -> None:
    *_, item = passages_of("No se computarán:\n\na) Las dietas de viaje.")
    assert [item.words[place] for place in item.denied] == ["computaran"]


def test_no_perjuicio_and_no_solo_deny_nothing() -> None:
    assert read_passage("sin perjuicio de pagar no solo el salario").cues == ()


def test_evidence_is_for_the_term_whose_surroundings_are_alike() -> None:
    claim, nothing = read_passage("La empresa puede optar por el traslado."), read_passage("")
    sources = passages_of(CHOICE)
    (side,) = [c for c in candidates_of(claim, sources) if c.contrast >= 0 and contrasts()[c.contrast].name == "side"]
    evidence = EvidenceReader({}, 1.0).read(claim, side, sources, nothing, nothing)
    assert evidence is not None
    assert evidence.same is None
    assert evidence.other.passage.words[evidence.other.first] == "trabajador"


def test_what_a_source_denies_is_a_candidate_where_a_claim_affirms_it() -> None:
    claim = read_passage("El coste debe recaer sobre la plantilla.")
    (denial,) = [c for c in candidates_of(claim, passages_of(COST)) if c.contrast == DENIAL]
    assert (denial.member, claim.words[denial.first]) == (AFFIRMED, "recaer")


def test_the_place_is_the_clause() -> None:
    passage = read_passage("Si pasa eso, la empresa puede optar, y ya.")
    start, end = clause_around(passage, 5, 6)
    assert passage.text[start:end] == "la empresa puede optar"


def test_trees_add_the_leaves_that_a_row_comes_to() -> None:
    tree = {"feature": [[1, -1, -1]], "threshold": [[0.5, 0, 0]], "left": [[1, 0, 0]], "right": [[2, 0, 0]]}
    arrays = {name: np.array(values) for name, values in tree.items()}
    model = ClaimModel(**arrays, value=np.array([[0.0, -2.0, 3.0]]), bias=0.25, limit=0.0, idf={}, rarest=1.0)
    assert model.log_odds([[9.0, 0.5], [9.0, 0.6]]).tolist() == [-1.75, 3.25]


@given(st.text(alphabet="aáñ €%.,;:()[]C1\n*noy23 sin", max_size=80))
def test_any_text_is_read_with_its_places(text: str) -> None:
    passage = read_passage(text)
    assert len(passage.words) == len(passage.spans) == len(passage.stems)
    assert all(0 <= start < end <= len(text) for start, end in passage.spans)
    for finding in told(text, COST):
        assert text[finding["start"] : finding["end"]] == finding["where"]
