"""The passage that is marked for a claim: quoted words, the letter that is named, or the nearest sentence."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.integration

LEAVE = """1. Los trabajadores tendrán derecho a un descanso semanal de día y medio ininterrumpido.

2. Las fiestas laborales no podrán exceder de catorce al año. De ellas, dos serán locales.

3. La persona trabajadora podrá ausentarse del trabajo por los motivos siguientes:

a) Quince días naturales en caso de matrimonio.

b) Cinco días por accidente, enfermedad grave u hospitalización del cónyuge.

b bis) Dos días por el fallecimiento del cónyuge.

c) Un día por traslado del domicilio habitual.

4. Tendrán derecho a una hora de ausencia para el cuidado del lactante.

a) Podrán dividirla en dos fracciones.

b) Podrán acumularla en jornadas completas."""


@pytest.fixture(scope="module")
def page(browser: Browser, site: str) -> Iterator[Page]:
    """The page, for all that its scripts mark."""
    opened = browser.new_page(locale="es-ES")
    opened.goto(site)
    yield opened
    opened.context.close()


def marked(page: Page, claim: str, *, label: str = "Artículo 37", quoted: tuple[str, ...] = ()) -> list[str]:
    """Return the passages of LEAVE that are marked for a claim."""
    return page.evaluate(
        """async ([text, claim, options]) => (await import("/page/passage.js")).passagesOf(text, claim, options)
             .map(({ start, end }) => text.slice(start, end))""",
        [LEAVE, claim, {"label": label, "quoted": list(quoted)}],
    )


HOSPITAL = "b) Cinco días por accidente, enfermedad grave u hospitalización del cónyuge."


def test_the_letter_that_a_claim_names_is_marked(page: Page) -> None:
    for claim in (
        "Son cinco días, según el art. 37.3.b.",
        "Lo dice el artículo 37.3 b) del Estatuto",
        "Vea el art. 37.3.b) ET",
        "Está en el apartado 3, letra b)",
        "Artículo 37, apartado 3, letra b",
        "37.3.b)",
    ):
        assert marked(page, claim) == [HOSPITAL], claim
    assert marked(page, "El art. 37.3 b bis) da dos días") == ["b bis) Dos días por el fallecimiento del cónyuge."]
    assert marked(page, "Se acumula, art. 37.4.b)") == ["b) Podrán acumularla en jornadas completas."]
    assert marked(page, "(art. 37.4 a)") == ["a) Podrán dividirla en dos fracciones."]


def test_a_part_of_another_provision_is_not_looked_for_in_this_one(page: Page) -> None:
    assert marked(page, "Cuatro horas para trámites, art. 50.3.b)") == []
    assert marked(page, "Quince días naturales por matrimonio, y no los del art. 48.4.b)") == [
        "a) Quince días naturales en caso de matrimonio."
    ]


def test_quoted_words_are_marked_whatever_their_accents_and_spaces(page: Page) -> None:
    assert marked(page, "«Cinco dias  por ACCIDENTE, enfermedad grave»") == [
        "Cinco días por accidente, enfermedad grave"
    ]
    assert marked(page, "«Las fiestas laborales […] dos serán locales.»") == [
        "Las fiestas laborales",
        "dos serán locales.",
    ]
    # Words that are quoted for the source elsewhere stand for a claim in the same sense.
    quoted = ("Quince días naturales en caso de matrimonio",)
    assert marked(page, "Si se casa tiene 15 días naturales por matrimonio", quoted=quoted) == [f"{quoted[0]}."]
    assert marked(page, "Weddings give a fortnight off", quoted=quoted) == [f"{quoted[0]}."]


def test_a_claim_in_other_words_marks_one_sentence_and_no_whole_apartado(page: Page) -> None:
    for claim, sentence in {
        "Las fiestas son 14 al año": "2. Las fiestas laborales no podrán exceder de catorce al año.",
        "De las fiestas, 2 son locales": "De ellas, dos serán locales.",
        "Por traslado de domicilio le corresponde 1 día": "c) Un día por traslado del domicilio habitual.",
        "Por hospitalización del cónyuge, 5 días": HOSPITAL,
        "Al día, una hora de ausencia por lactante": (
            "4. Tendrán derecho a una hora de ausencia para el cuidado del lactante."
        ),
    }.items():
        assert marked(page, claim) == [sentence], claim


def test_nothing_is_marked_for_what_the_provision_does_not_say(page: Page) -> None:
    assert marked(page, "La base reguladora se calcula con dieciocho cotizaciones") == []
