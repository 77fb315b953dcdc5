"""What is said in place of an answer: the nearest provisions, where to ask, or what is missing."""

import re

import pytest
from langgraph.runtime import Runtime
from support.doubles import FakeStore, make_chunk
from support.states import begun

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.encoders.phrasings import packaged_phrasings
from articulado.encoders.sentences import sentence_encoder
from articulado.guides.cards import card_chunk, packaged_cards
from articulado.language.languages import language
from articulado.legal.vocabulary.matters import doors, matters
from articulado.prompting.abstention import MAX_EXCERPT
from articulado.retrieval.fusion import candidate
from articulado.values.errors import ModelError
from nodes.abstain import abstain
from nodes.finalize import finalize
from state.context import ResolvedContext

LABORAL, PLAN = load_profile("laboral"), load_profile("plan_401k")


def state_with(read=None, **values):
    fresh = {"question": "¿Cuánto pago de IRPF?", "queries": ["IRPF"], "store": "index", "today": "2024-06-01"}
    return begun(read, **{**fresh, "as_of": None, "candidates": [], **values})


async def said(profile=LABORAL, *, said_to=None, phrasings=None, cards=None, chunks=(), **values):
    events = [] if said_to is None else said_to
    runtime = Runtime(context=ResolvedContext(), stream_writer=events.append)
    spoken = language(profile.language)
    stores = {"index": FakeStore(chunks)}
    return await abstain(
        state_with(**values),
        runtime,
        stores=stores,
        profile=profile,
        language=spoken,
        phrasings=phrasings,
        cards=cards,
    )


async def ended(profile=LABORAL, **values):
    """Return how the turn closes after the text in place of an answer."""
    update = await said(profile, **values)
    runtime = Runtime(context=ResolvedContext(), stream_writer=lambda event: None)
    state = {**state_with(**values), **update}
    return await finalize(state, runtime, profile=profile, language=language(profile.language))


# Nearly answered.

VACATION = make_chunk(38, "Artículo 38", title="Vacaciones anuales", summary="Treinta días al año como mínimo.")
SECOND_PART = make_chunk(39, "Artículo 38", title="Vacaciones anuales", part=2, parts=2, text="Segunda parte.")
LONG = make_chunk(48, "Artículo 48", title="", text="\n ".join(f"palabra{n}" for n in range(1, MAX_EXCERPT + 2)))
THIRD = make_chunk(55, "Artículo 55", title="Despido")


def scored(chunk, score):
    return {**candidate(chunk, 0.5, "hybrid"), "rerank_score": score, "final_score": score}


NEAREST = [scored(THIRD, 0.3), scored(LONG, 0.45), scored(SECOND_PART, 0.46), scored(VACATION, 0.48)]


async def test_nearly_answered_shows_the_three_best_provisions_to_choose_from():
    # Nine words of eight characters and eleven of nine, with a blank after each: 81 + 110 of the 200 characters.
    line = " ".join(f"palabra{n}" for n in range(1, 21))
    update = await said(outcome="near", candidates=NEAREST)
    assert update["answer"] == (
        "No estoy seguro de haber entendido su pregunta. Puede que busque esto:\n\n"
        "1. Me pueden pagar las vacaciones en vez de cogerlas (Artículo 38, Estatuto de los Trabajadores): "
        "Treinta días al año como mínimo. [C1]\n"
        f"2. Artículo 48 (Estatuto de los Trabajadores): {line} […] [C2]\n"
        "3. Me readmiten y me pagan los meses sin trabajar? (Artículo 55, Estatuto de los Trabajadores): "
        f"{THIRD['text']} [C3]\n\n"
        "Si es una de ellas, responda con su número; si no, añada qué ha pasado, qué contrato o prestación tiene y qué "
        "quiere saber."
    )
    assert (update["outcome"], update["abstained"]) == ("near", True)
    assert [found["chunk"]["id"] for found in update["context"]] == [38, 48, 55]


async def test_nearly_answered_cites_what_it_shows_and_is_no_answer():
    result = await ended(outcome="near", candidates=NEAREST)
    assert [(shown["mark"], shown["chunk_id"]) for shown in result["citations"]] == [("C1", 38), ("C2", 48), ("C3", 55)]
    assert (result["outcome"], result["abstained"]) == ("near", True)


async def test_a_text_that_fits_is_whole_and_a_title_that_says_the_label_again_is_left_out():
    text = " ".join(["palabra"] * 25)  # 199 characters
    short = make_chunk(1, "Artículo 1", title="Artículo 1", text=text)
    update = await said(outcome="near", candidates=[scored(short, 0.4)])
    shown = update["answer"].split("\n\n")[1]
    assert shown == f"1. Artículo 1 (Estatuto de los Trabajadores): {text} [C1]"


RIGHTS = make_chunk(
    4,
    "Artículo 4",
    title="Derechos laborales",
    summary="Derechos básicos: trabajo, huelga y reunión. En su puesto: intimidad y protección frente al acoso.",
)


async def test_the_need_is_the_most_similar_question_of_the_record():
    update = await said(question="me insulta el encargado", outcome="near", candidates=[scored(RIGHTS, 0.3)])
    assert update["choices"] == [
        {
            "number": 1,
            "need": "Me insulta mi encargado delante de todos",
            "answer": "Derechos básicos: trabajo, huelga y reunión.",
            "question": "Me insulta mi encargado delante de todos (Artículo 4, Estatuto de los Trabajadores)",
            "law_id": "BOE-A-2015-11430",
            "law": "Estatuto de los Trabajadores",
            "provision": "Artículo 4",
            "provision_key": "art:4",
            "title": "Derechos laborales",
            "url": RIGHTS["url"],
        }
    ]
    assert update["answer"].split("\n\n")[1] == (
        "1. Me insulta mi encargado delante de todos (Artículo 4, Estatuto de los Trabajadores): "
        "Derechos básicos: trabajo, huelga y reunión. [C1]"
    )


async def test_a_question_in_another_language_is_compared_with_no_need():
    english = {"language": "en"}
    asked = "acoso"  # a word that happens to be one of a Spanish question
    update = await said(question=asked, queries=[asked], read=english, outcome="near", candidates=[scored(RIGHTS, 0.3)])
    assert update["choices"][0]["need"] == "Derechos laborales"


async def test_the_answer_of_a_need_is_the_most_similar_sentence():
    update = await said(question="acoso en la oficina", outcome="near", candidates=[scored(RIGHTS, 0.3)])
    assert update["choices"][0]["answer"] == "En su puesto: intimidad y protección frente al acoso."


ENGLISH = {"language": "en"}


async def test_with_a_sentence_encoder_a_need_is_found_by_meaning_in_any_language():
    packaged = packaged_phrasings(sentence_encoder(Settings.read(env_file=None)))
    asked = "my boss humiliates me in front of everybody"
    update = await said(
        question=asked,
        queries=[asked],
        read=ENGLISH,
        outcome="near",
        candidates=[scored(RIGHTS, 0.3)],
        phrasings=packaged,
    )
    assert update["choices"][0]["need"] == "Me insulta mi encargado delante de todos"
    assert update["choices"][0]["answer"] == "En su puesto: intimidad y protección frente al acoso."


class BrokenPhrasings:
    def vectors_of(self, texts):
        raise ModelError("El servicio no contesta.")


async def test_where_the_sentence_encoder_fails_a_need_is_found_by_its_words(caplog):
    asked = "me insulta el encargado"
    update = await said(question=asked, outcome="near", candidates=[scored(RIGHTS, 0.3)], phrasings=BrokenPhrasings())
    assert update["choices"][0]["need"] == "Me insulta mi encargado delante de todos"
    assert "El servicio no contesta." in caplog.text


@pytest.mark.parametrize("outcome", ["decline", "ask"])
async def test_only_a_question_that_is_nearly_answered_has_choices(outcome):
    assert (await said(outcome=outcome, candidates=NEAREST))["choices"] == []


async def test_brackets_in_a_provision_are_no_markers():
    bracketed = make_chunk(1, "Artículo 1", title="Cuadro [C7]", text="Véase el cuadro [C2].")
    result = await ended(outcome="near", candidates=[scored(bracketed, 0.4)])
    assert "1. Cuadro (C7) (Artículo 1, Estatuto de los Trabajadores): Véase el cuadro (C2). [C1]" in result["answer"]
    assert [shown["mark"] for shown in result["citations"]] == ["C1"]


async def test_nearly_answered_in_english():
    chunk = make_chunk(1, "Hardship", law_name="Plan guide", title="Hardship withdrawals", summary="Up to the need.")
    update = await said(PLAN, outcome="near", candidates=[scored(chunk, 0.3)])
    assert update["answer"] == (
        "I am not sure that I have understood your question. You may be looking for one of these:\n\n"
        "1. Hardship withdrawals (Hardship, Plan guide): Up to the need. [C1]\n\n"
        "If it is one of them, answer with its number; if not, add what has happened and what you want to know."
    )


# Declined.

REFUSAL = "No tengo esa información verificada."
OTHER_WORDS = "Puede probar con otras palabras o indicar la ley y el artículo."


async def test_a_refusal_says_what_the_matter_seems_to_be_and_where_to_ask():
    update = await said(outcome="decline", matter="fiscal", candidates=NEAREST)
    assert update["answer"] == (
        "No tengo esa información verificada. "
        "Parece una cuestión de impuestos, y eso no lo resuelven las normas laborales y de Seguridad Social de España. "
        "La resuelven la Agencia Tributaria o una asesoría fiscal."
    )
    assert (update["outcome"], update["abstained"], update["context"]) == ("decline", True, [])


async def test_a_matter_named_by_the_reader_is_quoted():
    update = await said(outcome="decline", other_matter="derecho de familia [C1]", candidates=NEAREST)
    assert "Parece una cuestión de derecho de familia (C1), y eso no lo resuelven" in update["answer"]
    assert update["answer"].endswith("Consulte con un abogado de esa materia o con el organismo que la lleva.")
    nothing = await said(outcome="decline", other_matter="", candidates=NEAREST)
    assert "Parece" not in nothing["answer"]
    assert nothing["answer"].endswith(OTHER_WORDS)


@pytest.mark.parametrize("code", ["es", "en"])
@pytest.mark.parametrize("key", [key for key in matters() if key != "indeterminada"])
async def test_refusals_on_every_matter_have_no_citations(key, code):
    analysis = {"language": code}
    result = await ended(outcome="decline", matter=key, candidates=NEAREST, read=analysis)
    texts = matters()[key].in_language(code)
    beginning, ending = {
        "es": (f"{REFUSAL} Parece {texts.about}, y eso no ", "España."),
        "en": (f"I do not have verified information on that. It seems to be {texts.about}, which ", "not settle."),
    }[code]
    assert result["answer"].startswith(beginning)
    assert result["answer"].endswith(f" {texts.where}" if texts.where else ending)
    assert result["citations"] == []
    assert (result["outcome"], result["abstained"]) == ("decline", True)


@pytest.mark.parametrize("matter", ["", "indeterminada", "materia_de_otro_modelo"])
async def test_an_unknown_matter_is_not_named(matter):
    update = await said(outcome="decline", matter=matter)
    assert update["answer"] == f"{REFUSAL} {doors().default.where}\n\n{OTHER_WORDS}"


@pytest.mark.parametrize(
    ("question", "body"),
    [
        ("¿En cuánto tiempo contesta la oficina del paro?", "SEPE"),
        ("¿Cuándo me ingresan la pensión de viudedad?", "INSS"),
        ("Llevo tres meses de baja y nadie me llama", "INSS"),
        ("¿Cómo aplazo mis cuotas de autónomo?", "Tesorería"),
        ("Trabajo sin contrato y sin descansos", "Inspección de Trabajo"),
        ("Mi jefe no me da la nómina", "SMAC"),
        ("Quiero cobrar del FOGASA", "FOGASA"),
    ],
)
async def test_a_refusal_names_the_body_of_the_topic(question, body):
    update = await said(question=question, queries=[], outcome="decline")
    assert update["answer"].startswith(REFUSAL)
    assert body in update["answer"]


@pytest.mark.parametrize(
    ("question", "words", "in_field"),
    [
        ("¿Cuál es la capital de Francia?", "capital de Francia", False),
        ("¿y la paella?", "receta de paella", False),
        ("¿Puede mi patronal hacer eso?", "", True),
        ("Is my boss allowed to do that?", "facultades del empresario", True),
    ],
)
async def test_a_refusal_names_a_lawyer_only_for_a_question_of_the_field(question, words, in_field):
    update = await said(question=question, queries=[words], outcome="decline")
    door = doors().default if in_field else doors().outside
    assert update["answer"] == f"{REFUSAL} {door.where}" + (f"\n\n{OTHER_WORDS}" if in_field else "")


def test_refusals_name_no_address_but_official_roots():
    texts = [matter.where for matter in matters().values()]
    texts += [door.where for door in (doors().default, doors().outside, doors().other_field, *doors().door)]
    named = {address for text in texts for address in re.findall(r"\b[\w.-]+\.(?:es|com|org)\b(?:/\S*)?", text)}
    assert named <= {"sepe.es", "seg-social.es", "mites.gob.es", "boe.es"}


async def test_a_refusal_shows_neither_searches_nor_collections():
    certified = await ended(question="¿y la paella?", queries=["receta de paella"], outcome="decline")
    assert "paella" not in certified["answer"]
    assert "Normativa" not in certified["answer"]
    assert certified["certificate"]["searches"] == ["receta de paella"]


async def test_declines_without_a_judgement():
    # Nothing was found: the stage before the judgement leads here.
    update = await said(outcome="answer")
    assert (update["outcome"], update["abstained"]) == ("decline", True)


async def test_a_refusal_in_english():
    update = await said(PLAN, question="What is the weather?", queries=["weather"], outcome="decline")
    assert update["answer"] == "I do not have verified information on that.\n\nYou may try other words."


async def test_a_question_in_english_on_spanish_law_is_declined_in_english():
    analysis = {"language": "en"}
    update = await said(question="Who pays my dole?", queries=["prestación por desempleo"], read=analysis)
    assert update["answer"] == (
        "I do not have verified information on that. "
        "You can ask the SEPE, the public employment service (sepe.es, by appointment).\n\n"
        "You may try other words, or name the law and the article."
    )


@pytest.mark.parametrize(
    ("code", "refusal"),
    [
        ("", ["No tengo esa información"]),
        ("en", ["I do not have verified information"]),
        ("fr", ["Réponse en espagnol,", "No tengo esa información"]),
        ("ca", ["Resposta en castellà,", "No tengo esa información"]),
        ("uk", ["Відповідь іспанською,", "No tengo esa información"]),
    ],
)
async def test_a_refusal_in_spanish_is_announced_in_the_language_of_the_question(code, refusal):
    analysis = {"language": code}
    update = await said(question="Quelle est la capitale ?", queries=[], read=analysis, outcome="decline")
    paragraphs = update["answer"].split("\n\n")
    assert [text[: len(begins)] for text, begins in zip(paragraphs, refusal, strict=False)] == refusal
    assert "otro país" not in update["answer"]


def test_refusals_say_usted():
    messages = [text for key, text in language("es").data.messages.items() if key.startswith("rag_")]
    texts = [
        *messages,
        *(f"{matter.about} {matter.where}" for matter in matters().values()),
        *(door.where for door in (doors().default, doors().outside, doors().other_field, *doors().door)),
    ]
    familiar = re.compile(r"\b(?:tú|tus?|te|ti|puedes|tienes|debes|quieres|prueba|consulta con|dime|añade)\b", re.I)
    assert [text for text in texts if familiar.search(text)] == []


# Asked back.


@pytest.mark.parametrize(
    ("question", "begin"),
    [
        ("¿Cuánto me corresponde?", "Para decirle cuánto, me falta saber:"),
        ("¿cuanto dinero es?", "Para decirle cuánto, me falta saber:"),
        ("¿Qué cantidad me deben?", "Para decirle cuánto, me falta saber:"),
        ("¿Hasta cuándo puedo?", "Para decirle el plazo o la duración, me falta saber:"),
        ("¿Cuánto tiempo tengo?", "Para decirle el plazo o la duración, me falta saber:"),
        ("¿CUÁNTOS DÍAS SON?", "Para decirle el plazo o la duración, me falta saber:"),
        ("¿Qué hago?", "Para responderle, me falta saber de qué se trata. Dígame:"),
        ("ayuda", "Para responderle, me falta saber de qué se trata. Dígame:"),
    ],
)
async def test_asks_back_by_the_kind_of_question(question, begin):
    result = await ended(question=question, outcome="ask", matter="indeterminada", candidates=NEAREST)
    first, *asked = result["answer"].splitlines()
    assert first == begin
    assert len(asked) == 3
    assert all(line.startswith("- ") for line in asked)
    assert (result["outcome"], result["abstained"], result["citations"]) == ("ask", True, [])


async def test_asks_back_without_topic_words_and_candidates():
    vague = {"question": "¿Me corresponde?", "queries": ["¿Me corresponde?"]}
    update = await said(**vague, read={})
    assert (update["outcome"], update["answer"].splitlines()[0]) == (
        "ask",
        "Para responderle, me falta saber de qué se trata. Dígame:",
    )
    named = {"provisions": [{"law_id": "BOE-A-2015-11430", "provision_key": "art:999"}]}
    assert (await said(**vague, read=named))["outcome"] == "decline"
    assert (await said(question="fotosíntesis", read={}))["outcome"] == "decline"


@pytest.mark.parametrize(
    ("question", "begin"),
    [
        ("How much is it?", "To tell you how much, I need to know:"),
        ("How long do I have?", "To tell you by when or for how long, I need to know:"),
        ("What now?", "To answer, I need to know what it is about. Tell me:"),
    ],
)
async def test_asked_back_in_english(question, begin):
    first, *asked = (await said(PLAN, question=question, outcome="ask"))["answer"].splitlines()
    assert first == begin
    assert len(asked) == 2


@pytest.mark.parametrize("outcome", ["near", "decline", "ask"])
async def test_the_text_is_streamed_as_one_token(outcome):
    events = []
    update = await said(said_to=events, outcome=outcome, candidates=NEAREST)
    assert events == [{"type": "token", "text": update["answer"]}]


CARD = next(card for card in packaged_cards().values() if card.id == "holidays/how_many_days")
OF_CIVIL_SERVANTS = next(card for card in packaged_cards().values() if card.regimes == ("funcionarios",))


async def test_nearly_answered_shows_the_needs_of_cards_and_cites_the_law_that_bears_each():
    law_id, key = CARD.bearing[0]
    bears = make_chunk(380, "Artículo 38", law_id=law_id, provision_key=key)
    cards = [scored(card_chunk(CARD), 0.4), scored(card_chunk(OF_CIVIL_SERVANTS), 0.3)]
    update = await said(outcome="near", candidates=[*NEAREST, *cards], chunks=[bears])
    assert update["answer"].split("\n\n")[1] == f"1. {CARD.need}: {CARD.answer.text} [C1]"
    # The provision that bears the other is not in this index.
    assert [choice["question"] for choice in update["choices"]] == [CARD.need]
    assert [found["chunk"]["id"] for found in update["context"]] == [380]


class Likely:
    """Takes every question for one on civil servants."""

    def asked(self, question):
        return {OF_CIVIL_SERVANTS.id: -0.1, CARD.id: -3.0}


async def test_the_need_that_a_question_likeliest_asks_for_comes_first():
    chunks = [
        make_chunk(380 + number, "Artículo", law_id=law_id, provision_key=key)
        for number, (law_id, key) in enumerate((CARD.bearing[0], OF_CIVIL_SERVANTS.answer.pins[0].ref))
    ]
    cards = [scored(card_chunk(CARD), 0.4), scored(card_chunk(OF_CIVIL_SERVANTS), 0.3)]
    update = await said(outcome="near", candidates=cards, chunks=chunks, cards=Likely())
    assert [choice["question"] for choice in update["choices"]] == [OF_CIVIL_SERVANTS.need, CARD.need]


async def test_nearly_answered_shows_no_card_of_another_regime_than_that_of_the_question():
    law_id, key = CARD.bearing[0]
    bears = make_chunk(380, "Artículo 38", law_id=law_id, provision_key=key)
    update = await said(
        outcome="near", question="Soy estatutario, ¿vacaciones?", candidates=[scored(card_chunk(CARD), 0.4), *NEAREST],
        chunks=[bears],
    )  # fmt: skip
    assert [choice["provision_key"] for choice in update["choices"]] == ["art:38", "art:48", "art:55"]


SOME = ("holidays/how_many_days", "pay/minimum_wage_2026")


def chunks_of(*ids):
    """Return cards of the package as chunks, and the first provision that bears each."""
    cards = [packaged_cards()[id_] for id_ in ids]
    bearing = [make_chunk(70 + number, law_id=one.bearing[0][0]) for number, one in enumerate(cards)]
    bearing = [{**chunk, "provision_key": one.bearing[0][1]} for chunk, one in zip(bearing, cards, strict=True)]
    return [*map(card_chunk, cards), *bearing]


async def test_needs_that_a_question_may_mean_are_shown_in_their_order():
    read = {"language": "fr", "meant": [*reversed(SOME)]}
    update = await said(outcome="near", chunks=chunks_of(*SOME), read=read)
    assert [each["need"] for each in update["choices"]] == [packaged_cards()[id_].need for id_ in reversed(SOME)]
    assert update["answer"].startswith("Réponse en espagnol,")


async def test_a_need_with_an_english_text_is_shown_in_english_and_asked_for_in_spanish():
    update = await said(outcome="near", chunks=chunks_of(*SOME[:1]), read={"language": "en", "meant": [*SOME[:1]]})
    [choice] = update["choices"]
    assert choice["need"].startswith("How many days of holiday do I get")
    assert choice["question"] == packaged_cards()[SOME[0]].need
    assert "1. How many days of holiday do I get" in update["answer"]
    assert "Answered in Spanish" not in update["answer"]


async def test_a_refusal_names_a_law_missing_in_the_index():
    missing = "El Código Civil no está entre las normas de este índice."
    update = await said(question="art. 7.2 del Código Civil", read={"missing": [missing]})
    assert update["answer"].startswith(f"{missing}\n\nNo tengo esa información verificada.")
