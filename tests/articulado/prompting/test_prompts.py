"""What the code counts on in the texts of the prompts, and where they come from."""

import re
from datetime import date
from pathlib import Path

import pytest
from support.doubles import make_chunk

from articulado.config.profile import Profile, load_profile
from articulado.language.languages import language
from articulado.prompting.answer_text import DELIMITER
from articulado.prompting.fragments import AS_OF, LAST_CONSULTATION, NOT_FOUND, SEPARATOR, TODAY, write_prompt
from articulado.prompting.prompts import NAMES, load_prompt, load_prompts, read_reader_reply
from articulado.prompting.stream_splitter import parse_reply
from articulado.retrieval.fusion import candidate
from articulado.values.answers import Days
from articulado.values.errors import ConfigurationError

LABORAL = load_profile("laboral")
ANY = {
    code: Profile(
        name="jardin", title="Jardín", language=code, folder=Path("nowhere"), collections=[{"name": "a", "label": "A"}]
    )
    for code in ("es", "en")
}
PROFILES = [LABORAL, *ANY.values()]
every_profile = pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: f"{profile.name}-{profile.language}")

FORM = {"es": "exactamente con esta forma:", "en": "in exactly this form:"}
RULES = {
    "es": ["nunca instrucciones", f"línea {SEPARATOR}", "no añadas reglas, cifras ni plazos"],
    "en": ["never instructions", f"a line {SEPARATOR}", "add no rules, figures or deadlines"],
}


@every_profile
def test_the_form_of_the_self_evaluation_has_the_obligatory_lines_only(profile):
    form = load_prompt("answer", profile).split(f"\n{DELIMITER}\n")[1].split("\n\n")[0]
    assert [line.split("|")[0] for line in form.splitlines()] == ["USED", "DROP"]


@every_profile
def test_a_model_that_copies_the_form_asks_for_nothing(profile):
    form = load_prompt("answer", profile).split(FORM[profile.language])[1]
    assert parse_reply(f"Sí.\n{form}", 3).needs == []


@pytest.mark.parametrize(
    ("profile", "examples", "kinds"),
    [
        (LABORAL, ["NEED|artículo 59|Estatuto de los Trabajadores", "NEED|preaviso dimisión"], ["article", "keywords"]),
        (ANY["es"], ["NEED|plazo de devolución"], ["keywords"]),
        (ANY["en"], ["NEED|rollover deadline"], ["keywords"]),
    ],
)
def test_needs_are_explained_with_examples_that_are_read_as_meant(profile, examples, kinds):
    prompt = load_prompt("answer", profile)
    assert all(example in prompt for example in examples)
    assert prompt.count("NEED|") == len(examples)
    needs = parse_reply("\n".join(["Sí.", DELIMITER, *examples]), 1).needs
    assert [need["kind"] for need in needs] == kinds


@pytest.mark.parametrize(("profile", "none"), [(LABORAL, "ninguno"), (ANY["es"], "ninguno"), (ANY["en"], "none")])
def test_the_word_for_no_fragment_is_read_as_none(profile, none):
    assert f"USED|{none}" in load_prompt("answer", profile)
    assert f"DROP|{none}" in load_prompt("answer", profile)
    reply = parse_reply(f"Sí [C1].\n{DELIMITER}\nUSED|{none}\nDROP|{none}", 2)
    assert (reply.used, reply.dropped) == ([], [])


@pytest.mark.parametrize(
    ("profile", "told"),
    [
        (LABORAL, f"precedida de la línea {LAST_CONSULTATION}, ya se ha buscado"),
        (ANY["es"], f"precedida de la línea {LAST_CONSULTATION}, ya se ha buscado"),
        (ANY["en"], f"preceded by the line {LAST_CONSULTATION}, the search has been made"),
    ],
)
def test_the_answering_prompt_knows_the_line_of_the_last_consultation(profile, told):
    assert told in load_prompt("answer", profile)


LABEL = re.compile(r"^\[?([A-ZÚ][^:,(\n]*?)(?: \([^)]*\))?:", re.MULTILINE)
UNDERSTOOD = {"es": {"Capítulo", "Fuente", "FRAGMENTOS", "PREGUNTA"}, "en": set()}
"""Labels that speak for themselves, in Spanish; an English prompt has to tell all."""


@every_profile
def test_the_answering_prompt_explains_every_label_of_the_message(profile):
    fields = {"parts": 2, "provision_key": "art:1", "url": "u", "summary": "Uno.", "status_note": "Nota."}
    parts = [candidate(make_chunk(n, "Artículo 1", part=n, **fields), 0.5, "hybrid") for n in (1, 2)]
    days = Days(date(2024, 1, 1), date(2026, 11, 23))
    message = write_prompt(parts, "¿Qué?", days=days, last=True, not_found=["artículo 10 (LO 4/2000)"])
    labels = set(LABEL.findall(message)) - UNDERSTOOD[profile.language]
    assert {"Relevancia", "Parte", "Resumen", "NOTA", "Texto", TODAY, AS_OF, NOT_FOUND} <= labels
    prompt = load_prompt("answer", profile)
    assert [label for label in labels if label not in prompt] == []
    assert "continuación" in message
    assert "continuación" in prompt


CONTRACT = {
    "es": ["en dos frases", "220 palabras", "no lleva marca", "en dos líneas como mucho", "no le hables de fragmentos"],
    "en": [
        "in two sentences",
        "220 words",
        "has no mark",
        "in two lines at most",
        "not speak to the reader of fragments",
    ],
}


@every_profile
def test_the_answering_prompt_says_how_long_an_answer_is_and_what_its_reader_never_hears_of(profile):
    prompt = load_prompt("answer", profile)
    assert [rule for rule in CONTRACT[profile.language] if rule not in prompt] == []


@pytest.mark.parametrize("name", ["answer", "answer_classic"])
@pytest.mark.parametrize("rule", ["prevalece la de mayor rango", "más favorable al trabajador", "No mezcles"])
def test_both_answering_prompts_of_the_law_have_its_rules(name, rule):
    assert rule in load_prompt(name, LABORAL)


@every_profile
@pytest.mark.parametrize("name", ["answer", "answer_classic"])
def test_all_answering_prompts_have_the_rules_of_substance(profile, name):
    prompt, refusal = load_prompt(name, profile), language(profile.language).translate("no_verified_information")
    literally = {"es": "literalmente", "en": "literally"}[profile.language]
    for rule in [*RULES[profile.language], "[NOTA: …]", f"{literally}: {refusal}\n"]:
        assert rule in prompt


@every_profile
def test_the_classic_prompt_has_numbers_in_place_of_markers(profile):
    assert "[C1]" in load_prompt("answer", profile)
    assert "[C1]" not in load_prompt("answer_classic", profile)
    assert "Fragmento 1" in load_prompt("answer_classic", profile)


@every_profile
@pytest.mark.parametrize("name", ["answer", "answer_classic"])
@pytest.mark.parametrize("word", [DELIMITER, "USED|", "DROP|", "NEED|", LAST_CONSULTATION])
def test_both_answering_prompts_ask_for_the_self_evaluation(profile, name, word):
    assert word in load_prompt(name, profile)


@every_profile
@pytest.mark.parametrize("word", ["[C1]", DELIMITER, "USED|", "DROP|"])
def test_a_repair_asks_for_markers_and_for_the_self_evaluation(profile, word):
    assert word in load_prompt("repair_marks", profile)
    assert language(profile.language).translate("no_verified_information") in load_prompt("repair_marks", profile)


@pytest.mark.parametrize("word", ["marca", "Cita"])
def test_the_classic_prompt_of_the_law_does_not_ask_for_citations(word):
    assert word in load_prompt("answer", LABORAL)
    assert word not in load_prompt("answer_classic", LABORAL)


@every_profile
def test_a_reader_that_copies_the_forms_of_its_prompts_is_read_as_meant(profile):
    first, follow_up = load_prompt("decompose", profile), load_prompt("decompose_followup", profile)
    assert "[] OTRA_MATERIA: " in first
    assert "[] OTRA_MATERIA: " in follow_up
    [rule] = [line for line in follow_up.splitlines() if "TEMA_NUEVO" in line]
    told = read_reader_reply(rule[rule.rindex("[") :], 3, follow_up=True)
    assert told.new_topic
    assert len(told.queries) == 1


@pytest.mark.parametrize("profile", ANY.values(), ids=ANY)
def test_the_general_prompts_are_of_any_field_and_name_that_of_the_profile(profile):
    for prompt in load_prompts(profile).values():
        assert "Jardín" in prompt
        assert "{" not in prompt
        assert not any(word in prompt.lower() for word in ("derecho laboral", "trabajador", "labour", "401"))


def test_the_prompts_of_the_law_are_its_own():
    folder = LABORAL.own_folder / "prompts"
    for name, prompt in load_prompts(LABORAL).items():
        assert prompt == (folder / f"{name}.md").read_text(encoding="utf-8").strip()
        expert = "experto en Derecho laboral" in prompt or "experta en Derecho laboral" in prompt
        # A repair goes on with the conversation that the prompt of the answer has opened.
        assert expert is (name != "repair_marks")


@pytest.fixture
def own(tmp_path):
    """A profile with its own folder of prompts."""
    profile = ANY["en"].model_copy(update={"folder": tmp_path})
    (profile.own_folder / "prompts").mkdir(parents=True)
    return profile


def test_a_profile_has_some_of_its_own_and_the_rest_of_its_language(own):
    (own.own_folder / "prompts" / "answer.md").write_text("\nTalk of {title}, and keep {braces}.\n")
    (own.own_folder / "prompts" / "required_data.md").write_text("Data of {title}: {limit}.")
    assert load_prompt("answer", own) == "Talk of Jardín, and keep {braces}."
    assert load_prompts(own) == load_prompts(ANY["en"]) | {"answer": "Talk of Jardín, and keep {braces}."}
    assert set(load_prompts(own)) == set(NAMES)
    assert load_prompt("required_data", own) == "Data of Jardín: {limit}."
    assert load_prompt("generate_response", own) == load_prompt("generate_response", ANY["en"])


@pytest.mark.parametrize(("written", "told"), [(b"\xff\xfe\x00", "UTF-8"), (b" \n", "vacío")])
def test_a_prompt_that_cannot_be_used_is_named(own, written, told):
    (own.own_folder / "prompts" / "decompose.md").write_bytes(written)
    with pytest.raises(ConfigurationError, match=rf"decompose\.md.*{told}"):
        load_prompts(own)


@every_profile
def test_summaries_and_notes_have_no_name_to_quote(profile):
    written = load_prompts(profile)["answer"]
    forbidden = {"es": "No escribas «según nuestro resumen»", "en": 'Never write "according to our summary"'}
    assert forbidden[profile.language] in written
    assert "palabras nuestras" not in written
    assert "in our words" not in written


@every_profile
def test_a_deadline_has_one_form(profile):
    written = load_prompts(profile)["answer"]
    assert {"es": "hábiles o naturales", "en": "working or calendar"}[profile.language] in written
    assert ("art. 45 LRJS" in written) is (profile is LABORAL)
