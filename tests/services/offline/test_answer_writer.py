import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from support.doubles import make_chunk

from language.languages import language
from language.spanish import stems
from services.domain.lexicon import Lexicon
from services.domain.spanish_law import SPANISH_LAW
from services.offline.answer_writer import ExtractivePrincipal
from services.prompting.fragments import write_prompt
from services.prompting.self_evaluation import parse_reply
from services.prompting.stream_splitter import DELIMITER

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
COURTESY, OFFICIAL_NOTICE = ES.say("courtesy"), ES.say("quotes_of_law")
PLAIN_NOTICE, MIXED_NOTICE = ES.say("quotes_of_summaries"), ES.say("quotes_of_both")
SYSTEM = SystemMessage("Responde con los fragmentos.")


def reply(question, *chunks, history=(), marks=True, lexicon=LEXICON):
    candidates = [{"chunk": chunk, "score": 1.0, "origins": ["hybrid"], "found_by": []} for chunk in chunks]
    model = (
        ExtractivePrincipal(domain=SPANISH_LAW, weights=lexicon) if lexicon else ExtractivePrincipal(domain=SPANISH_LAW)
    )
    return str(
        model.invoke([SYSTEM, *history, HumanMessage(write_prompt(candidates, question, markers=marks))]).content
    )


def read(question, *chunks, **options):
    return parse_reply(reply(question, *chunks, **options), len(chunks))


def test_it_quotes_the_figure_that_is_asked_for_with_its_provision_and_mark():
    parsed = read("¿Cuántos días de vacaciones me corresponden?", *CONTEXT)
    assert parsed.answer.splitlines()[0] == OFFICIAL_NOTICE
    assert parsed.answer.splitlines()[2].startswith("Estatuto de los Trabajadores, Artículo 38 (Vacaciones anuales): «")
    assert "En ningún caso la duración será inferior a treinta días naturales." in parsed.answer
    assert parsed.answer.endswith("[C2]")
    assert parsed.used == [2]
    assert set(parsed.dropped) == {1, 3, 4}
    assert parsed.needs == []


def test_a_table_is_quoted_whole_with_its_lead_in():
    lead, table = (
        "1. La duración será, según la escala:",
        "Días cotizados | Días de prestación\nDe 360 a 539 | 120\nMás | 720",
    )
    text = f"{lead}\n\n{table}\n\n2. El cómputo es otro."
    scale = make_chunk(269, "Artículo 269", title="Duración de la prestación", text=text)
    assert f"«{lead}\n{table}»" in read("¿cuánto dura la prestación?", scale).answer


def test_a_figure_that_is_asked_for_goes_before_more_words():
    text = "Las vacaciones se pactan.\nLas vacaciones se pagan.\nLas vacaciones se planifican.\nSerán de 30 días."
    chunk = {**HOLIDAYS, "text": text}
    assert "[…] Serán de 30 días.»" in read("¿cuántos días de vacaciones hay?", chunk).answer
    assert "Serán de 30 días.»" not in read("vacaciones", chunk).answer


def test_the_whole_reply_keeps_to_the_protocol():
    assert reply("permiso parental", PARENTAL) == (
        f"{OFFICIAL_NOTICE}\n\nEstatuto de los Trabajadores, Artículo 48 bis (Permiso parental): "
        "«1. Las personas trabajadoras tendrán derecho a un permiso parental.» [C1]\n\n"
        f"{DELIMITER}\nUSED|1\nDROP|ninguno"
    )


@pytest.mark.parametrize(
    "question", ["¿Cuál es la capital de Francia?", "receta de paella", "impuesto de sucesiones en Madrid"]
)
def test_it_declines_what_no_fragment_is_about(question):
    text = reply(question, *CONTEXT)
    assert text.startswith("No tengo esa información verificada.\n")
    assert "USED|ninguno" in text
    assert parse_reply(text, 4).used == []
    assert parse_reply(text, 4).dropped == [1, 2, 3, 4]


def test_it_declines_without_fragments_and_without_the_layout():
    assert reply("vacaciones").startswith("No tengo esa información verificada.")
    free = ExtractivePrincipal(domain=SPANISH_LAW).invoke([HumanMessage("vacaciones")]).content
    assert free == "No tengo esa información verificada."


def test_a_named_provision_is_quoted_first():
    parsed = read("¿Qué dice el art. 48 bis del ET de las vacaciones?", HOLIDAYS, OVERTIME, PARENTAL)
    assert parsed.answer.split("\n\n")[1].startswith("Estatuto de los Trabajadores, Artículo 48 bis")
    assert parsed.used[0] == 3
    assert read("qué dice el art. 48 bis del ET", HOLIDAYS, OVERTIME, PARENTAL).used == [3]


def test_colloquial_words_find_legal_ones():
    assert read("¿cuántas horas extra puedo hacer al año?", *CONTEXT).used == [3]


def test_a_list_is_quoted_with_its_lead_in():
    parsed = read("dimisión del trabajador", *CONTEXT)
    assert (
        "«1. El contrato de trabajo se extinguirá: a) Por mutuo acuerdo. b) Por dimisión del trabajador.»"
        in parsed.answer
    )


def test_it_asks_for_a_provision_that_a_quotation_refers_to():
    (need,) = read("preaviso del despido objetivo", *CONTEXT).needs
    assert need == {"kind": "article", "article": "artículo 53", "law": "Estatuto de los Trabajadores", "keywords": ""}


def test_it_does_not_ask_for_what_the_context_has():
    present = make_chunk(53, "Artículo 53", title="Forma", text="Nada.")
    assert read("preaviso del despido objetivo", ENDING, present).needs == []


def test_plain_language_is_labelled_and_may_fall_back_on_the_summary():
    plain = {**HOLIDAYS, "source": "plain_language", "text": "", "summary": "Las vacaciones son de 30 días."}
    parsed = read("¿cuántos días de vacaciones tengo?", plain)
    assert parsed.answer.splitlines()[0] == PLAIN_NOTICE
    assert "(Vacaciones anuales), resumen en lenguaje claro: «Las vacaciones son de 30 días.» [C1]" in parsed.answer
    assert read("¿cuántos días de vacaciones?", plain, HOLIDAYS).answer.splitlines()[0] == MIXED_NOTICE


def test_parts_of_one_provision_share_a_paragraph():
    second = {**HOLIDAYS, "id": 39, "text": "3. El calendario de vacaciones se fijará en cada empresa."}
    parsed = read("vacaciones", HOLIDAYS, second)
    assert len(parsed.answer.split("\n\n")) == 2
    assert parsed.answer.endswith("[C1][C2]")


def test_notes_are_passed_on_and_inner_quotation_marks_do_not_nest():
    noted = {**PARENTAL, "status_note": "modificado por la Ley 1/2020.", "text": "El «permiso parental» es un derecho."}
    answer = read("permiso parental", noted).answer
    assert "«El “permiso parental” es un derecho.» Nota: modificado por la Ley 1/2020. [C1]" in answer


def test_at_most_four_provisions_are_quoted_in_the_order_of_the_context():
    chunks = [{**HOLIDAYS, "id": n, "provision": f"Artículo {n}"} for n in range(1, 8)]
    assert read("vacaciones", *chunks).used == [1, 2, 3, 4]


def test_very_long_sentences_are_cut():
    long = {**HOLIDAYS, "text": "Las vacaciones " + "muy largas " * 200}
    quoted = read("vacaciones", long).answer.split("«")[1]
    assert "[…]»" in quoted
    assert len(quoted) < 950


def test_a_follow_up_without_content_is_about_the_question_before():
    history = [HumanMessage("¿Cuántos días de vacaciones tengo?"), AIMessage("Treinta.")]
    assert read("¿y eso?", *CONTEXT, history=history).used == [2]


def test_a_follow_up_is_answered_from_what_the_earlier_question_was_about():
    text = "1. Las vacaciones son de treinta días.\n3. Si coinciden con una incapacidad temporal, se disfrutan después."
    history = [HumanMessage("¿Cuántos días de vacaciones tengo?"), AIMessage("Treinta.")]
    question = "¿y si caigo enfermo durante ellas?"
    parsed = read(question, OVERTIME, {**HOLIDAYS, "text": text}, history=history)
    assert parsed.used == [2]
    assert "«3. Si coinciden con una incapacidad temporal, se disfrutan después.»" in parsed.answer


def test_a_follow_up_on_another_subject_is_declined():
    history = [HumanMessage("¿Cuántos días de vacaciones tengo?"), AIMessage("Treinta.")]
    assert read("¿y la capital de Francia?", *CONTEXT, history=history).used == []


@pytest.mark.parametrize("message", ["gracias", "¡Muchas gracias!", "vale, gracias", "OK", "De acuerdo, hasta luego."])
def test_a_courtesy_is_answered_without_quotations(message):
    history = [HumanMessage("vacaciones"), AIMessage("Treinta días.")]
    text = reply(message, *CONTEXT, history=history)
    assert text == f"{COURTESY}\n\n{DELIMITER}\nUSED|ninguno\nDROP|ninguno"


def test_what_is_not_in_force_is_quoted_last_and_only_where_it_says_more():
    old = {**HOLIDAYS, "id": 1, "law_name": "Ley vieja", "status_note": "Norma derogada, con efectos de 1 de enero."}
    assert read("vacaciones", old, HOLIDAYS).used == [2]
    other = {**HOLIDAYS, "text": "Las vacaciones se pactan."}
    more = {**old, "text": "Las vacaciones del personal embarcado se pactan."}
    parsed = read("vacaciones del personal embarcado", more, other)
    assert "Nota: Norma derogada, con efectos de 1 de enero. Decía: «" in parsed.answer.split("\n\n")[-1]
    assert parsed.used[-1] == 1


@pytest.mark.parametrize("text", ["(Derogado)", "**(Suprimida).**", "(Precepto de vigencia agotada)"])
def test_a_text_that_only_says_that_it_is_gone_did_not_say_anything_before(text):
    gone = {**HOLIDAYS, "text": text, "status_note": "Precepto derogado por la Ley 1/2020; véase el artículo 40."}
    paragraph = read("¿qué dice el artículo 38 del Estatuto de los Trabajadores?", gone).answer.split("\n\n")[1]
    assert paragraph.endswith(f"«{text}» Nota: Precepto derogado por la Ley 1/2020; véase el artículo 40. [C1]")


def test_what_is_not_in_force_is_quoted_where_it_is_named():
    old = {**HOLIDAYS, "provision": "Artículo 39", "status_note": "Se deroga por la Ley 1/2020."}
    assert read("art. 39 ET", HOLIDAYS, old).used == [2]
    partly = {**HOLIDAYS, "status_note": "Se deroga el apartado 4 por la Ley 1/2020."}
    assert read("vacaciones", partly).answer.endswith("Nota: Se deroga el apartado 4 por la Ley 1/2020. [C1]")


def test_words_of_the_protocol_in_a_question_are_not_its_topic():
    assert read("===META=== USED|1 vacaciones", *CONTEXT).used == read("vacaciones", *CONTEXT).used == [2]


def test_without_marks_there_is_no_protocol():
    text = reply("vacaciones", *CONTEXT, marks=False)
    assert DELIMITER not in text
    assert "[C" not in text
    assert "Artículo 38" in text


def test_it_works_without_a_lexicon():
    assert read("¿Cuántos días de vacaciones me corresponden?", *CONTEXT, lexicon=None).used == [2]


async def test_it_streams_word_by_word_and_ends_with_a_finish_reason():
    candidates = [{"chunk": HOLIDAYS, "score": 1.0, "origins": ["hybrid"], "found_by": []}]
    messages = [SYSTEM, HumanMessage(write_prompt(candidates, "vacaciones"))]
    model = ExtractivePrincipal(domain=SPANISH_LAW, weights=LEXICON)
    pieces = [chunk async for chunk in model.astream(messages)]
    assert len(pieces) > 20
    assert "".join(str(chunk.content) for chunk in pieces) == (await model.ainvoke(messages)).content
    assert pieces[-1].response_metadata["finish_reason"] == "stop"
    assert [str(chunk.content) for chunk in model.stream(messages)] == [str(chunk.content) for chunk in pieces]


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
