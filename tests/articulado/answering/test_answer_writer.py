from dataclasses import replace
from datetime import date

import pytest
from support.doubles import make_chunk

from articulado.answering.answer_writer import ExtractivePrincipal
from articulado.answering.principal import AnswerTask
from articulado.language.languages import language
from articulado.language.spanish import stems
from articulado.legal.domain.base import Lexicon
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.prompting.fragments import fragments_of
from articulado.prompting.stream_splitter import Reply
from articulado.store.records.chunks import packaged_law_records
from articulado.values.answers import Days, question_of

HOLIDAYS = make_chunk(
    38,
    "Artículo 38",
    title="Vacaciones anuales",
    text="1. El periodo de vacaciones anuales retribuidas será el pactado en convenio colectivo.\n"
    "En ningún caso la duración será inferior a treinta días naturales.\n"
    "2. El periodo de su disfrute se fijará de común acuerdo.",
)
PARENTAL = make_chunk(
    48,
    "Artículo 48 bis",
    title="Permiso parental",
    text="1. Las personas trabajadoras tendrán derecho a un permiso parental.",
)
OVERTIME = make_chunk(
    35, "Artículo 35", title="Horas extraordinarias", text="2. No podrá ser superior a ochenta al año."
)
ENDING = make_chunk(
    49,
    "Artículo 49",
    title="Extinción del contrato",
    text="1. El contrato de trabajo se extinguirá:\na) Por mutuo acuerdo.\nb) Por dimisión del trabajador.\n"
    "2. El preaviso del despido objetivo se rige por lo dispuesto en el artículo 53.1 de esta ley.",
)
CONTEXT = [PARENTAL, HOLIDAYS, OVERTIME, ENDING]
LEXICON = Lexicon.build(
    [f"{chunk['title']} {chunk['text']}" for chunk in CONTEXT] + ["trabajador, empresa, días, año"] * 8, stems
)
ES = language("es")
COURTESY = ES.translate("courtesy")
OF_LAW, IN_OUR_WORDS = "Lo que dice la ley:", "Con nuestras palabras, no oficiales:"
RECORD = packaged_law_records()[("BOE-A-2015-11430", "art:38")]
RECORDED = {**HOLIDAYS, "summary": RECORD.summary}


def candidate(chunk, score=1.0):
    return {"chunk": chunk, "score": score, "origins": ["hybrid"], "found_by": []}


def task_of(question, *candidates, history=(), marks=True, subject="", kind="alone"):
    days = Days(None, date(2026, 11, 29))
    asked = question_of(question, subject, kind)
    return AnswerTask(asked, candidates, history, days, ES, marked=marks)


def read(question, *chunks, history=(), marks=True, lexicon=LEXICON, scores=None, similarity=None, **asked):
    candidates = [candidate(chunk, score) for chunk, score in zip(chunks, scores or [1.0] * len(chunks), strict=True)]
    task = task_of(question, *candidates, history=history, marks=marks, **asked)
    fragments = fragments_of(candidates, markers=marks)
    if scores is None:
        fragments = [replace(fragment, relevance=None) for fragment in fragments]
    weights = {"weights": lexicon} if lexicon else {}
    text, evaluation = ExtractivePrincipal(SPANISH_LAW, similarity=similarity, **weights).reply(task, fragments)
    return Reply(evaluation.used, evaluation.dropped, evaluation.needs, text)


def reply(question, *chunks, **options):
    return read(question, *chunks, **options).answer


def lines(question, *chunks, **options):
    """Return what is quoted, a line for each place."""
    return [line for line in read(question, *chunks, **options).answer.splitlines() if line.startswith("- ")]


# What leads.


def test_our_words_lead_and_the_law_that_carries_them_follows():
    answer = read("¿Cuántos días de vacaciones me corresponden?", RECORDED).answer
    assert answer.startswith("Con nuestras palabras: Las vacaciones pagadas son, como mínimo, de 30 días naturales")
    lead, quoted = answer.split("\n\n", 1)
    assert lead.endswith(" [C1]")
    assert quoted.startswith(f"{OF_LAW}\n- Estatuto de los Trabajadores, artículo 38.1: «")
    assert "En ningún caso la duración será inferior a treinta días naturales." in quoted


def test_our_words_on_another_wording_stay_hidden():
    stale = {**HOLIDAYS, "summary": f"{RECORD.summary} Y más."}
    assert read("¿Cuántos días de vacaciones me corresponden?", stale).answer.startswith(OF_LAW)


def test_the_summary_leads_where_no_point_has_a_word_of_the_question():
    answer = read("¿y la capital de Francia?", RECORDED).answer
    assert answer.startswith("Con nuestras palabras: Mínimo 30 días naturales de vacaciones pagadas al año")


def test_without_our_words_the_law_leads():
    assert read("permiso parental", PARENTAL).answer == (
        f"{OF_LAW}\n- Estatuto de los Trabajadores, artículo 48 bis, apartado 1: "
        "«Las personas trabajadoras tendrán derecho a un permiso parental.» [C1]"
    )


@pytest.mark.parametrize(
    "question",
    [
        "¿son 22 días de vacaciones?",
        "Me dicen que me dan 22 días de vacaciones",
        "¿es verdad que son solo 22 días de vacaciones?",
    ],
)
def test_a_figure_that_the_question_claims_is_set_right_first(question):
    answer = read(question, RECORDED).answer
    assert answer.startswith("La ley dice 30 días naturales, no 22 días. [C1]\n\nCon nuestras palabras: ")


@pytest.mark.parametrize(
    "question",
    [
        "¿son 30 días de vacaciones?",  # right
        "llevo 3 meses, ¿cuántos días de vacaciones tengo?",
        "hace 10 días que pedí las vacaciones, ¿cuántos días son?",
        "¿son 22 días laborables de vacaciones?",  # of another kind
        "¿son 2 semanas de vacaciones?",  # in another unit
        "tengo 45 años, ¿cuántos días de vacaciones son?",
    ],
)
def test_correct_claims_are_not_corrected(question):
    assert "La ley dice" not in read(question, RECORDED).answer


def test_a_claim_on_another_matter_is_not_set_right():
    assert (
        "La ley dice" not in read("me dicen que son 22 días de paro por baja de la seguridad social", RECORDED).answer
    )


# What is quoted.


def test_the_figure_that_is_asked_for_is_quoted_before_more_words():
    text = "Las vacaciones se pactan.\nLas vacaciones se pagan.\nLas vacaciones se planifican."
    text += "\nLas vacaciones se anuncian.\nSerán de 30 días."
    assert "Serán de 30 días." in lines("¿cuántos días de vacaciones hay?", {**HOLIDAYS, "text": text})[0]
    assert "Serán de 30 días." not in lines("vacaciones", {**HOLIDAYS, "text": text})[0]


def test_a_list_is_quoted_with_its_lead_in():
    quoted = "«El contrato de trabajo se extinguirá: a) Por mutuo acuerdo. b) Por dimisión del trabajador.»"
    assert quoted in lines("dimisión del trabajador", ENDING)[0]


def test_each_place_is_named_and_the_same_law_once():
    text = "1. Las vacaciones se pactan.\n2. Las vacaciones se pagan a quien no las disfruta."
    assert lines("vacaciones", {**HOLIDAYS, "text": text}) == [
        "- Estatuto de los Trabajadores, artículo 38.1: «Las vacaciones se pactan.» [C1]",
        "- Apartado 2: «Las vacaciones se pagan a quien no las disfruta.» [C1]",
    ]


def test_the_first_sentence_is_quoted_whole_however_long():
    text = f"Las vacaciones, {'según convenio, ' * 60}serán de treinta días, {'salvo pacto, ' * 60}y se pagan."
    assert lines("¿cuántos días de vacaciones?", {**HOLIDAYS, "text": text}) == [
        f"- Estatuto de los Trabajadores, artículo 38: «{text}» [C1]"
    ]


@pytest.mark.parametrize(("more", "quoted"), [(112, 2), (113, 1)])
def test_a_further_sentence_is_quoted_while_all_have_at_most_120_words(more, quoted):
    # 4 words, and 4 more than ``more``.
    text = f"1. Las vacaciones se pactan.\n2. Las vacaciones {'así ' * more}se pagan."
    assert len(lines("vacaciones", {**HOLIDAYS, "text": text})) == quoted
    first, second = text.splitlines()
    other = {**HOLIDAYS, "id": 39, "provision": "Artículo 39", "provision_key": "art:39", "text": second}
    assert len(lines("vacaciones", {**HOLIDAYS, "text": first}, other, scores=[0.9, 0.9])) == quoted


def test_a_second_provision_that_the_question_names_is_quoted_in_any_case():
    other = {
        **HOLIDAYS,
        "id": 39,
        "provision": "Artículo 39",
        "provision_key": "art:39",
        "text": f"1. Las vacaciones {'así ' * 200}se pagan.",
    }
    asked = "¿qué dicen de las vacaciones el artículo 38 y el artículo 39 del Estatuto de los Trabajadores?"
    assert len({line.split(":")[0] for line in lines(asked, HOLIDAYS, other) if "Estatuto" in line}) == 2


def test_a_sentence_that_another_is_quoted_with_does_not_count_as_a_second_one():
    text = "Las vacaciones naturales se pagan. En tal caso, se pagan doble. Las vacaciones naturales se pagan siempre."
    (line,) = lines("vacaciones naturales pagan doble", {**HOLIDAYS, "text": text}, lexicon=None)
    assert f"«{text}»" in line


def test_a_further_sentence_has_a_word_of_the_question_besides_its_lead_in():
    text = (
        f"1. Se pagan las vacaciones de quien:\na) Las pida {'debidamente ' * 60}y trabaje en el mar.\nb) Esté de baja."
    )
    assert "Esté de baja" not in lines("vacaciones de quien trabaja en el mar", {**HOLIDAYS, "text": text})[0]
    assert "Esté de baja" in lines("vacaciones de quien está de baja o en el mar", {**HOLIDAYS, "text": text})[0]


def test_an_answer_is_short_however_much_there_is():
    text = "\n".join(f"{n}. Las vacaciones {'y los permisos, ' * 30}se pactan así: {n}." for n in range(1, 20))
    chunks = [{**HOLIDAYS, "id": n, "provision": f"Artículo {n}", "text": text} for n in range(1, 7)]
    assert len(read("vacaciones y permisos", *chunks).answer.split()) < 300


def test_parts_of_one_provision_are_one():
    second = {**HOLIDAYS, "id": 39, "text": "3. El calendario de vacaciones se fijará en cada empresa."}
    parsed = read("calendario de vacaciones", HOLIDAYS, second)
    assert parsed.answer.count("Estatuto de los Trabajadores") == 1
    assert 2 in parsed.used


def test_inner_quotation_marks_do_not_nest():
    chunk = {**PARENTAL, "text": "El «permiso parental» es un derecho."}
    assert "«El “permiso parental” es un derecho.» [C1]" in read("permiso parental", chunk).answer


def test_colloquial_words_find_legal_ones():
    assert read("¿cuántas horas extra puedo hacer al año?", *CONTEXT).used == [3]


# Which provisions.


def test_the_most_relevant_provision_goes_first_and_others_only_if_they_fit_nearly_as_well():
    assert read("vacaciones", PARENTAL, HOLIDAYS, OVERTIME, scores=[0.80, 0.83, 0.40]).used == [2, 1]
    assert read("vacaciones", PARENTAL, HOLIDAYS, scores=[0.50, 0.83]).used == [2]


def test_at_most_two_provisions_are_quoted():
    chunks = [{**HOLIDAYS, "id": n, "provision": f"Artículo {n}"} for n in range(1, 8)]
    parsed = read("vacaciones", *chunks, scores=[0.9] * 7)
    assert parsed.used == [1, 2]


def test_fragments_with_half_the_fit_are_irrelevant():
    parsed = read("vacaciones", HOLIDAYS, PARENTAL, OVERTIME, scores=[0.80, 0.60, 0.30])
    assert (parsed.used, parsed.dropped) == ([1], [3])


@pytest.mark.parametrize("question", ["¿Cuál es la capital de Francia?", "receta de paella"])
def test_always_answers_from_its_fragments(question):
    assert read(question, *CONTEXT, scores=[0.5] * 4).used


def test_without_fragments_there_is_nothing_to_say():
    assert reply("vacaciones") == "No tengo esa información verificada."


def test_a_named_provision_goes_first_whatever_its_score():
    question = "¿Qué dice el art. 48 bis del ET de las vacaciones?"
    assert lines(question, HOLIDAYS, OVERTIME, PARENTAL, scores=[0.9, 0.9, 0.1])[0].startswith(
        "- Estatuto de los Trabajadores, artículo 48 bis"
    )


def test_a_lookup_gives_the_whole_provision_only():
    text = "\n".join(f"{n}. El empresario hará {'esto y ' * 50}lo otro." for n in range(1, 12))
    long = {**HOLIDAYS, "text": text}
    parsed = read("¿qué dice el artículo 38 del Estatuto de los Trabajadores?", OVERTIME, long)
    assert f"- Estatuto de los Trabajadores, artículo 38:\n«{text}» [C2]" in parsed.answer
    assert (parsed.used, parsed.dropped, parsed.needs) == ([2], [1], [])


def test_of_a_named_apartado_all_is_given_with_our_words_on_it():
    answer = read("art. 38.2 ET", RECORDED).answer
    lead, quoted = answer.split("\n\n")
    assert lead.startswith("Con nuestras palabras: Las fechas de vacaciones se fijan de común acuerdo")
    assert quoted.endswith("artículo 38.2: «2. El periodo de su disfrute se fijará de común acuerdo.» [C1]")


def test_a_named_provision_that_is_not_there_is_replaced_by_no_other():
    assert read("qué dice el art. 99 del ET", RECORDED).answer == "No tengo esa información verificada."


def test_a_named_provision_may_be_of_the_law_of_then():
    old = make_chunk(
        205,
        "Artículo 205",
        law_id="BOE-A-1994-14960",
        law_name="Ley General de la Seguridad Social de 1994",
        title="Personas protegidas",
        text="1. Estarán comprendidos los trabajadores por cuenta ajena.",
        status="derogada",
        status_note="Norma derogada.",
    )
    parsed = read("art. 205 LGSS en 2010", old)
    assert "Estarán comprendidos los trabajadores por cuenta ajena" in parsed.answer
    assert "Norma derogada" in parsed.answer
    assert parsed.used == [1]


@pytest.mark.parametrize("name", ["la Ley 7/2031", "la ley de faros"])
def test_a_provision_of_a_law_that_no_registry_knows_is_not_taken_for_that_of_another(name):
    light = make_chunk(
        9,
        "Artículo 38",
        law_id="BOE-A-2031-7",
        law_name="Ley 7/2031, de 1 de marzo, de Faros",
        title="Vacaciones del farero",
        text="1. El farero apaga el faro en vacaciones.",
    )
    parsed = read(f"¿Qué dice el artículo 38 de {name} de las vacaciones?", HOLIDAYS, light)
    assert "El farero apaga" in parsed.answer.partition("[C")[0]


# Notes.


def test_notes_keep_reading_hints_without_amendments():
    note = (
        "Se aplica poco a poco hasta 2027 (nota en lenguaje claro, no oficial). Se modifica por el art. 1.4 del Real "
        "Decreto-ley 32/2021, de 28 de diciembre (BOE-A-2021-21788). El día en que empezó a regir se deduce de la "
        "fecha de la reforma: compruébelo en el BOE."
    )
    answer = read("permiso parental", {**PARENTAL, "status_note": note}).answer
    assert answer.endswith("permiso parental.» (Nota: Se aplica poco a poco hasta 2027) [C1]")


@pytest.mark.parametrize(("more", "kept"), [(30, 2), (31, 1)])
def test_a_note_keeps_whole_sentences_up_to_40_words(more, kept):
    # 6 words, and 4 more than ``more``.
    sentences = ["Se aplica poco a poco aquí", f"Rige en {'toda ' * more}la isla"]
    answer = read("permiso parental", {**PARENTAL, "status_note": f"{sentences[0]}. {sentences[1]}."}).answer
    assert f"(Nota: {'. '.join(sentences[:kept])})" in answer


def test_the_first_sentence_of_a_note_is_whole_however_long():
    note = f"Se aplica {'poco ' * 60}a poco"
    assert f"(Nota: {note})" in read("permiso parental", {**PARENTAL, "status_note": f"{note}."}).answer


def test_repealed_law_is_quoted_last_if_it_covers_more():
    old = {**HOLIDAYS, "id": 1, "law_name": "Ley vieja", "status_note": "Norma derogada, con efectos de 1 de enero."}
    assert read("vacaciones", old, HOLIDAYS, scores=[0.9, 0.9]).used == [2]
    other = {**HOLIDAYS, "text": "Las vacaciones se pactan."}
    more = {**old, "text": "Las vacaciones del personal embarcado se pactan."}
    quoted = lines("vacaciones del personal embarcado", more, other, scores=[0.9, 0.9])
    assert "(Nota: Norma derogada, con efectos de 1 de enero) Decía: «" in quoted[-1]
    assert quoted[-1].endswith("[C1]")


@pytest.mark.parametrize("text", ["(Derogado)", "**(Suprimida).**", "(Precepto de vigencia agotada)"])
def test_a_text_that_only_says_that_it_is_gone_did_not_say_anything_before(text):
    gone = {**HOLIDAYS, "text": text, "status_note": "Precepto derogado por la Ley 1/2020; véase el artículo 40."}
    answer = read("¿qué dice el artículo 38 del Estatuto de los Trabajadores?", gone).answer
    assert answer.endswith(f"«{text}» (Nota: Precepto derogado por la Ley 1/2020; véase el artículo 40) [C1]")


def test_repealed_law_has_no_plain_language_lead():
    gone = {**RECORDED, "status_note": "Precepto derogado por la Ley 1/2020."}
    assert read("vacaciones", gone).answer.startswith(OF_LAW)


# Summaries without official text.


def test_the_points_of_a_summary_lead_and_nothing_is_called_official():
    text = "1. Las vacaciones son de 30 días.\n2. Las fechas de las vacaciones se pactan."
    answer = read("¿cuántos días de vacaciones tengo?", {**HOLIDAYS, "source": "plain_language", "text": text}).answer
    assert answer == (
        "Con nuestras palabras (Estatuto de los Trabajadores, artículo 38.1): Las vacaciones son de 30 días. [C1]\n\n"
        f"{IN_OUR_WORDS}\n"
        "- Estatuto de los Trabajadores, artículo 38.2: Las fechas de las vacaciones se pactan. [C1]"
    )


def test_a_summary_without_points_says_its_summary():
    plain = {**HOLIDAYS, "source": "plain_language", "text": "", "summary": "Las vacaciones son de 30 días."}
    assert read("vacaciones", plain).answer == (
        "Con nuestras palabras (Estatuto de los Trabajadores, artículo 38): Las vacaciones son de 30 días. [C1]"
    )


def test_official_text_and_summaries_are_told_apart():
    plain = {
        **HOLIDAYS,
        "id": 2,
        "law_name": "Tribunal",
        "source": "plain_language",
        "text": "Las vacaciones se pagan.",
    }
    answer = read("vacaciones", HOLIDAYS, plain, scores=[0.9, 0.9]).answer
    assert answer.index(OF_LAW) < answer.index(
        f"{IN_OUR_WORDS}\n- Tribunal, artículo 38: Las vacaciones se pagan. [C2]"
    )


# The protocol.


def test_the_self_evaluation_has_the_used_fragments():
    said = read("permiso parental", PARENTAL)
    assert said.answer.endswith(" [C1]")
    assert (said.used, said.dropped) == ([1], [])


def test_it_asks_for_a_provision_that_a_quotation_refers_to():
    (need,) = read("preaviso del despido objetivo", ENDING).needs
    assert need == {"kind": "article", "article": "artículo 53", "law": "Estatuto de los Trabajadores", "keywords": ""}


def test_it_does_not_ask_for_what_the_context_has():
    present = make_chunk(53, "Artículo 53", title="Forma", text="Nada.")
    assert read("preaviso del despido objetivo", ENDING, present).needs == []


def test_words_of_the_protocol_in_a_question_are_not_its_topic():
    assert read("===META=== USED|1 vacaciones", *CONTEXT).used == read("vacaciones", *CONTEXT).used == [2]


def test_without_marks_it_says_what_it_used():
    said = read("vacaciones", RECORDED, marks=False)
    assert "[C" not in said.answer
    assert "artículo 38.1" in said.answer
    assert said.used == [1]


def test_it_works_without_a_lexicon():
    assert read("¿Cuántos días de vacaciones me corresponden?", *CONTEXT, lexicon=None).used[0] == 2


def test_learnt_similarity_chooses_where_words_do_not():
    chunk = {**HOLIDAYS, "text": "Las vacaciones se pagan aquí.\nLas vacaciones se piden allí."}

    def similarity(question, texts):
        return [1.0 if "piden" in text else 0.0 for text in texts]

    assert lines("vacaciones", chunk)[0].split("«")[1].startswith("Las vacaciones se pagan")
    long = {**chunk, "text": chunk["text"].replace("aquí", "aquí " * 40).replace("allí", "allí " * 80)}
    assert "se piden" in lines("vacaciones", long, similarity=similarity)[0]


# Conversations.

ASKED = "¿Cuántos días de vacaciones tengo?"


def told(question, answer):
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


@pytest.mark.parametrize("message", ["gracias", "¡Muchas gracias!", "vale, gracias", "OK", "De acuerdo, hasta luego."])
def test_a_courtesy_is_answered_without_quotations(message):
    said = read(message, *CONTEXT, kind="courtesy", history=told("vacaciones", "Treinta días."))
    assert (said.answer, said.used, said.dropped) == (COURTESY, [], [])


def test_a_follow_up_without_content_is_about_the_question_before():
    assert read("¿y eso?", *CONTEXT, subject=ASKED, kind="adds").used == [2]


def test_a_follow_up_is_answered_from_what_the_earlier_question_was_about():
    text = "1. Las vacaciones son de treinta días.\n3. Si coinciden con una incapacidad temporal, se disfrutan después."
    asked = "¿y si caigo enfermo durante ellas?"
    parsed = read(asked, OVERTIME, {**HOLIDAYS, "text": text}, subject=ASKED, kind="adds")
    assert parsed.used == [2]
    assert "«Si coinciden con una incapacidad temporal, se disfrutan después.»" in parsed.answer


def test_asked_for_the_place_it_names_the_provisions_first():
    about = {"subject": ASKED, "kind": "same"}
    answer = read("¿en qué artículo lo pone?", HOLIDAYS, **about).answer
    assert answer.startswith("Está en: Estatuto de los Trabajadores, artículo 38 [C1].\n\n")
    assert "Está en" not in read(ASKED, HOLIDAYS).answer
    assert "Está en" not in read("explícamelo", HOLIDAYS, **about).answer


def test_a_follow_up_does_not_repeat_the_earlier_answer():
    text = "Las vacaciones serán de treinta días naturales.\nEl calendario lo fija la empresa.\n"
    law = {**HOLIDAYS, "text": f"1. {text}2. La sustitución por una compensación económica está prohibida."}
    first = read(ASKED, law).answer
    follow_up, about = "¿y una compensación económica?", {"subject": ASKED, "kind": "adds"}
    assert "treinta días" in first
    said = read(follow_up, law, **about).answer
    assert read(follow_up, law, history=told(ASKED, said), **about).answer != said


def test_a_repeated_selection_gets_a_note():
    about = {"subject": ASKED, "kind": "adds"}
    first = read("¿y eso?", HOLIDAYS, **about).answer
    again = read("¿y eso?", HOLIDAYS, history=told(ASKED, first), **about).answer
    assert again == f"{ES.translate('answer_same')}\n\n{first}"


@pytest.mark.parametrize(
    ("earlier", "question", "kind"), [(ASKED, ASKED, "alone"), (ASKED, "repítemelo", "same"), ("hola", ASKED, "alone")]
)
def test_a_repeated_question_gets_the_same_answer(earlier, question, kind):
    about = {"subject": ASKED if kind == "same" else "", "kind": kind}
    answer = read(question, HOLIDAYS, **about).answer
    history = told(earlier, answer) if earlier == ASKED else told(earlier, "Buenos días.")
    assert read(question, HOLIDAYS, history=history, **about).answer == answer


async def test_it_streams_a_sentence_or_so_at_a_time_numbered_as_it_is_read():
    events = []
    principal = ExtractivePrincipal(SPANISH_LAW, weights=LEXICON)
    written = await principal.answer(
        task_of("vacaciones", candidate(PARENTAL, 0.2), candidate(HOLIDAYS)), events.append
    )
    pieces = [event["text"] for event in events]
    assert 20 < max(len(piece.split()) for piece in pieces) <= 24
    assert "".join(pieces) == written.text
    assert "[C1]" in written.text
    assert (written.cited[0], written.evaluation.used) == (2, [2])


PERMITS = make_chunk(
    37,
    "Artículo 37",
    title="Permisos",
    # A list that is short is quoted whole.
    text="3. El trabajador podrá ausentarse:\na) Quince días por matrimonio.\nb) Cinco días por enfermedad.\n"
    f"b bis) Dos días por fallecimiento{', o por una causa igual de grave' * 20}.\nc) Un día por traslado.",
)


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("art. 37.3 b bis) ET", ["Dos días"]),
        ("art. 37.3 b) ET", ["Cinco días"]),
        ("art. 37.3 b) y c) ET", ["Cinco días", "Un día"]),
        ("art. 37.3 a) y 37.3 b bis) ET", ["Quince días", "Dos días"]),
        ("letras a) y c) del apartado 3 del artículo 37 del ET", ["Quince días", "Un día"]),
        ("art. 37.3 b quáter) ET", ["Quince días", "Cinco días", "Dos días", "Un día"]),
    ],
)
def test_exactly_the_parts_that_are_named_are_quoted(question, quoted):
    answer = reply(question, PERMITS)
    assert [words for words in ("Quince días", "Cinco días", "Dos días", "Un día") if words in answer] == quoted
