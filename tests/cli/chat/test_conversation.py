import asyncio
import io
import shlex
from contextlib import AsyncExitStack
from datetime import date, timedelta
from functools import partial

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from rich.console import Console
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.calculations.wordings import CALCULATIONS
from articulado.language.languages import language
from articulado.retrieval.relevance.judge import Judgement
from articulado.values.errors import ModelTimeout
from cli.calculate import calculate_at_prompt
from cli.chat import Conversation
from cli.session import Names
from graph.rag import build_rag
from server.conversations.store import open_conversations
from state.context import RunContext

CITATION = {
    "mark": "C1",
    "chunk_id": 7,
    "law_id": "BOE-A-2015-11430",
    "law": "Estatuto de los Trabajadores",
    "provision": "Artículo 38",
    "title": "Vacaciones anuales",
    "url": "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a38",
    "note": "",
    "summary": "",
    "official": True,
}


class FakeGraph:
    """Answers each question with itself and a citation; ``failing`` questions raise."""

    def __init__(self, failing: dict[str, BaseException] | None = None) -> None:
        self.failing = failing or {}
        self.asked: list[tuple[str, str]] = []

    async def astream(self, given, config, *, context, stream_mode):
        assert stream_mode == "custom"
        question = given["question"]
        self.asked.append((question, config["configurable"]["thread_id"]))
        if question in self.failing:
            raise self.failing[question]
        result = {"answer": f"Respuesta a {question}", "citations": [CITATION], "warnings": []}
        yield {"type": "final", "result": result}


def held(
    lines: list[str], graph: FakeGraph, end: BaseException | None = None, code: str = "es", **given: object
) -> str:
    """Hold a conversation of these lines and return what was shown."""
    out = Console(file=io.StringIO(), width=80)
    script = iter(lines)

    def read() -> str:
        line = next(script, None)
        if line is None:
            raise end or EOFError
        return line

    with asyncio.Runner() as runner:
        Conversation(graph, RunContext(), out, language(code), runner.run, **{"law": True, **given}).hold(read)
    return out.file.getvalue()


def test_questions_of_a_conversation_share_a_thread_until_a_new_one_begins():
    graph = FakeGraph()
    shown = held(["uno", "", "  dos ", "/nuevo", "tres", "/salir", "cuatro"], graph)
    assert [question for question, _ in graph.asked] == ["uno", "dos", "tres"]
    threads = [thread for _, thread in graph.asked]
    assert threads[0] == threads[1] != threads[2]
    assert "Respuesta a dos" in shown
    assert shown.endswith("Hasta luego.\n")


def test_an_unsure_answer_numbers_the_needs_and_a_number_takes_one():
    class Unsure:
        async def judge(self, question, candidates):
            return Judgement(0.3, "")

    chunk = make_chunk(38, "Artículo 38", title="Vacaciones anuales", summary="Treinta días naturales al año. " * 3)
    principal = QueueChat("Treinta días [C1].\n===META===\nUSED|1\nDROP|ninguno")
    store = FakeStore([chunk], {"vacaciones anuales": [(38, 1.0)]})
    live = make_services(store, QueueChat('["vacaciones anuales"]', "[]"), principal, judge=Unsure())
    shown = held(["¿Cuántos días de vacaciones tengo?", "1", "salir"], build_rag(live, InMemorySaver()))
    near, answered = shown.split("Fuentes")[:2]
    [numbered] = [line for line in near.splitlines() if line.startswith("1. ")]
    assert numbered.startswith("1. Cuántos días de vacaciones tengo (Artículo 38, Estatuto de los")
    assert "Treinta días naturales al año. [C1]" in near
    assert "Treinta días [C1]." in answered
    assert max(map(len, near.splitlines())) <= 80


def test_an_error_does_not_end_the_conversation(capsys):
    graph = FakeGraph({"mal": ModelTimeout("El proveedor no contesta."), "peor": KeyError("x")})
    shown = held(["mal", "peor", "bien"], graph)
    errors = capsys.readouterr().err
    assert "Error: El proveedor no contesta." in errors
    assert "ARTICULADO_DEBUG=1" in errors
    assert "Traceback" not in errors
    assert "Respuesta a bien" in shown


@pytest.mark.parametrize("end", [EOFError(), KeyboardInterrupt()])
def test_end_of_input_and_ctrl_c_say_goodbye(end):
    assert held([], FakeGraph(), end).endswith("Hasta luego.\n")


def test_ctrl_c_during_an_answer_says_goodbye():
    graph = FakeGraph({"larga": KeyboardInterrupt()})
    assert held(["larga", "otra"], graph).endswith("Hasta luego.\n")
    assert len(graph.asked) == 1


def test_sources_of_the_last_answer():
    assert "no tiene fuentes" in held(["/fuentes"], FakeGraph())
    assert "no tiene fuentes" in held(["uno", "/nuevo", "/fuentes"], FakeGraph())
    assert held(["uno", "/fuentes"], FakeGraph()).count("#a38") == 1


def test_a_conversation_begins_with_the_notice():
    law = "Información general sobre la normativa; no es asesoramiento jurídico.\n"
    assert held([], FakeGraph(), law=True).startswith(law)
    plain = "Información general de la base de conocimiento; no es asesoramiento.\n"
    assert held([], FakeGraph(), law=False).startswith(plain)
    english = "General information from the knowledge base; it is no advice.\n"
    assert held([], FakeGraph(), code="en", law=False).startswith(english)


def test_sources_are_in_the_language_of_the_profile():
    shown = held(["one", "/fuentes"], FakeGraph(), code="en", law=False)
    assert shown.count("\nSources") == 2
    assert "Fuentes" not in shown


def test_help_and_unknown_commands():
    assert held(["/ayuda"], FakeGraph()).count("/fuentes ") == 2
    graph = FakeGraph()
    assert "No existe la orden /nada." in held(["/nada"], graph)
    assert graph.asked == []


LEAVES = [
    "salir",
    "Salir.",
    "SALIR",
    "/salir",
    " /Salir ",
    "«salir»",
    "exit",
    "quit",
    "Adiós",
    "¡hasta luego!",
    "gracias, adiós",
]


@pytest.mark.parametrize("line", LEAVES)
def test_a_word_of_leave_ends_the_conversation(line):
    graph = FakeGraph()
    assert held([line, "otra"], graph).endswith("Hasta luego.\n")
    assert graph.asked == []


@pytest.mark.parametrize("line", ["salir antes del trabajo", "¿puedo salir?", "gracias", "adiós a mi empresa"])
def test_a_question_with_a_word_of_leave_is_a_question(line):
    graph = FakeGraph()
    held([line, "salir"], graph)
    assert [question for question, _ in graph.asked] == [line]


def test_the_words_of_farewell_are_named_at_the_beginning():
    assert "Para terminar, salir.\n" in held([], FakeGraph())
    assert "To leave, exit.\n" in held([], FakeGraph(), code="en", law=False)


@pytest.mark.parametrize("line", ["exit", "Quit.", "/exit", "bye", "/salir"])
def test_an_english_conversation_speaks_english(line):
    graph = FakeGraph()
    shown = held(["/help", "/new", "/sources", "/nothing", line, "leave"], graph, code="en", law=False)
    assert shown.count("Type a question, or one of these commands:") == 1
    assert "New conversation.\nThe last answer has no sources.\nThere is no command /nothing." in shown
    assert shown.endswith("Goodbye.\n")
    assert graph.asked == []


def test_an_answer_with_a_guide_ends_with_the_command_that_goes_on():
    class Guided(FakeGraph):
        async def astream(self, given, config, **options):
            guide = {"article_id": "f", "title": "F", "topic": "finiquito", "inquiry": f"{given['question']} (baja)"}
            result = {"answer": "Sí.", "citations": [CITATION], "warnings": ["Ojo."], "guides": [guide]}
            yield {"type": "final", "result": result}

    question = "¿Qué me deben si dejo 'a medias' el $contrato de este año que firmé con la empresa el año pasado?"
    shown = held([question, "salir"], Guided())
    [line] = [line for line in shown.splitlines() if line.startswith("Con sus datos: ")]
    command = shlex.split(line.removeprefix("Con sus datos: "))
    assert command[:3] == ["articulado", "case", "required-data"]
    assert command[3:] == ["--topic", "finiquito", "--inquiry", f"{question} (baja)"]
    assert shown.index("Aviso: Ojo.") < shown.index(line)
    assert "Con sus datos" not in held([question, "salir"], FakeGraph())


class Passages:
    """Gives the text of each source."""

    async def __call__(self, citation):
        return f"Texto de {citation['provision']}."


def told(lines: list[str], graph: object = None, code: str = "es", **given: object) -> str:
    return held(lines, graph or FakeGraph(), code=code, **given)


def test_an_answer_comes_with_a_line_a_law_and_no_links():
    class TwoLaws(FakeGraph):
        async def astream(self, given, config, **options):
            other = {**CITATION, "mark": "C2", "provision": "Artículo 49"}
            third = {
                **CITATION,
                "mark": "C3",
                "law_id": "BOE-A-2015-11724",
                "law": "Ley General de la Seguridad Social",
            }
            result = {"answer": "Sí.", "citations": [CITATION, other, third], "warnings": []}
            yield {"type": "final", "result": result}

    shown = told(["uno"], TwoLaws())
    assert "  Estatuto de los Trabajadores: Artículo 38 [C1]; Artículo 49 [C2]\n" in shown
    assert "  Ley General de la Seguridad Social: Artículo 38 [C3]\n" in shown
    assert "https" not in shown
    assert shown.index("Sí.") < shown.index("Fuentes")


def test_provisions_that_were_not_read_are_counted_and_listed_by_the_command_of_sources():
    class Unread(FakeGraph):
        async def astream(self, given, config, **options):
            other = {**CITATION, "provision": "Artículo 41", "text": "1. La dirección podrá."}
            result = {"answer": "Sí.", "citations": [CITATION], "unread": [other], "warnings": []}
            yield {"type": "final", "result": result}

    answer, listed = told(["uno", "/fuentes"], Unread()).split("\nFuentes\n")
    assert "  Preceptos que se nombran y no se han leído: 1 (los enumera /fuentes).\n" in answer
    assert "La dirección podrá." not in answer
    assert "La dirección podrá." in listed


@pytest.mark.parametrize("written", ["1", "C1", "[C1]", "c1"])
def test_a_source_is_shown_with_its_passage(written):
    shown = told(["uno", f"/fuentes {written}"], passage=Passages())
    assert "[C1] Estatuto de los Trabajadores, Artículo 38. Vacaciones anuales\n  Texto de Artículo 38.\n" in shown
    assert "#a38" in shown


@pytest.mark.parametrize("written", ["2", "0", "x", "C12"])
def test_a_source_that_is_not_there_is_told_with_those_that_are(written):
    assert f"No hay fuente {written}: las de la última respuesta son C1." in told(["uno", f"/fuentes {written}"])


class Days(FakeGraph):
    """Keeps day and place of each question."""

    def __init__(self) -> None:
        super().__init__()
        self.contexts: list[tuple[str, str]] = []

    async def astream(self, given, config, *, context, stream_mode):
        self.contexts.append((str(context.as_of), str(context.territory)))
        async for event in super().astream(given, config, context=context, stream_mode=stream_mode):
            yield event


@pytest.mark.parametrize(
    "written", ["2020-03-03", "3 de marzo de 2020", "el 3 de marzo de 2020", "3/3/2020", "03-03-2020", "3 march 2020"]
)
def test_a_day_is_chosen_as_people_write_it(written):
    graph = Days()
    back = "/date today" if "march" in written else "/fecha hoy"
    shown = told([f"/fecha {written}", "uno", back, "dos"], graph)
    assert "Se responde con la ley del 3 de marzo de 2020." in shown
    assert graph.contexts == [("2020-03-03", "None"), ("None", "None")]


@pytest.mark.parametrize(("written", "code"), [("/fecha ayer", "es"), ("/date yesterday", "en")])
def test_a_day_is_chosen_by_a_word(written, code):
    graph = Days()
    before = date.today()
    told([written, "uno"], graph, code=code)
    yesterdays = {str(day - timedelta(days=1)) for day in (before, date.today())}
    assert graph.contexts[0][0] in yesterdays


@pytest.mark.parametrize("written", ["31 de febrero de 2020", "marzo", "pronto", "2020", "3/13/20"])
def test_an_invalid_day_is_refused_and_changes_nothing(written):
    graph = Days()
    assert f"«{written}» no es una fecha." in told(["/fecha 1/2/2021", f"/fecha {written}", "uno"], graph)
    assert graph.contexts == [("2021-02-01", "None")]


def test_a_day_for_which_no_law_is_passed_is_refused_kindly():
    graph = Days()
    assert "La ley del 1 de enero de 2090 no se conoce todavía." in told(["/fecha 1/1/2090", "uno"], graph)
    assert graph.contexts == [("None", "None")]


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("Madrid", "Madrid"),
        ("madrid", "Madrid"),
        ("Cataluña", "Cataluña"),
        ("Sevilla", "Andalucía"),
        ("País Vasco", "País Vasco"),
    ],
)
def test_a_place_is_chosen_by_its_name(written, place):
    graph = Days()
    told([f"/lugar {written}", "uno", "/lugar no", "dos"], graph)
    assert place in graph.contexts[0][1] or graph.contexts[0][1].startswith(written.capitalize())
    assert graph.contexts[1] == ("None", "None")


def test_a_misspelt_place_is_told_with_the_nearest_one():
    assert "¿Quería decir Madrid?" in told(["/lugar Madrit"])
    assert "No conozco el lugar «Qwxzk»." in told(["/lugar Qwxzk"])


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("/fuente5", "/fuente"),
        ("/fehca", "/fecha"),
        ("/lugra Madrid", "/lugar"),
        ("/calcualr", "/calcular"),
        ("/conversacion", "/conversaciones"),
        ("/aiuda", "/ayuda"),
    ],
)
def test_an_unknown_command_is_told_with_the_nearest_one(written, nearest):
    graph = FakeGraph()
    assert f"No existe la orden {written.split()[0]}. ¿Quería decir {nearest}" in told([written], graph)
    assert graph.asked == []


def test_conversations_have_the_name_of_their_first_question():
    graph = FakeGraph()
    lines = ["¿Cuántas vacaciones tengo?", "/nueva", "¿Y el finiquito?", "/nueva", "¿Cuántas vacaciones tengo?"]
    shown = told([*lines, "/conversaciones", "/abrir finiquito", "sigo", "/abrir 3", "vuelvo"], graph)
    assert " 1. Cuántas vacaciones tengo (2) (esta)\n" in shown
    assert " 2. Y el finiquito\n" in shown
    assert " 3. Cuántas vacaciones tengo\n" in shown
    first, second, third, again, back = [thread for _, thread in graph.asked]
    assert len({first, second, third}) == 3
    assert again == second
    assert back == first


@pytest.mark.parametrize("written", ["9", "0", "otra cosa"])
def test_a_conversation_that_is_not_there_is_told(written):
    assert f"No hay ninguna conversación «{written}»." in told(["uno", f"/abrir {written}"])


def test_a_deleted_conversation_is_gone_and_the_next_question_begins_another():
    graph = FakeGraph()
    shown = told(["uno dos tres", "/borrar 1", "/conversaciones", "cuatro"], graph)
    assert "Borrada la conversación «uno dos tres»." in shown
    assert "No hay otras conversaciones." in shown
    assert graph.asked[0][1] != graph.asked[1][1]


def test_a_renamed_conversation_goes_on_by_its_new_name():
    graph = FakeGraph()
    lines = ["¿Cuántas vacaciones tengo?", "/renombrar  Mis   vacaciones", "/nueva", "dos", "/nombre mis/vacaciones"]
    shown = told([*lines, "/conversaciones", "/abrir mis vacaciones", "tres", "/borrar 1", "/renombrar"], graph)
    assert "Esta conversación se llama «Mis vacaciones».\n" in shown
    assert " 1. mis/vacaciones (esta)\n   2. Mis vacaciones\n" in shown
    first, _, again = [thread for _, thread in graph.asked]
    assert again == first
    assert "Sigue la conversación «Mis vacaciones».\n" in shown
    assert "Borrada la conversación «Mis vacaciones».\n" in shown
    assert "Todavía no hay conversación" in shown


def test_a_name_that_is_taken_is_numbered_and_without_one_the_name_is_told():
    lines = ["uno", "/nueva", "dos", "/renombrar uno", "/renombrar", "/renombrar uno", "/nueva", "uno (2)"]
    shown = told([*lines, "/conversaciones"])
    assert shown.count("Esta conversación se llama «uno (2)».\n") == 2
    assert "Esta conversación se llama «uno (2)». Para cambiarlo: /renombrar Finiquito\n" in shown
    assert " 1. uno (2) (2) (esta)\n   2. uno (2)\n   3. uno\n" in shown


def test_a_conversation_of_english_is_renamed_in_english():
    shown = told(["one", "/rename My leave", "/conversations"], code="en", law=False)
    assert "This conversation is called “My leave”.\n   1. My leave (this one)\n" in shown


def test_a_long_question_gives_a_short_name():
    graph = FakeGraph()
    told(["palabra " * 40, "a/b"], graph)
    assert len(graph.asked[0][1]) <= 51
    assert graph.asked[0][1].endswith("palabra…")


@pytest.mark.integration
def test_kept_conversations_are_there_in_the_next_session(tmp_path):
    async def names() -> list[str]:
        async with open_conversations("sqlite:chat.sqlite", tmp_path) as kept:
            return list(await kept.last_used())

    chunk = make_chunk(38, "Artículo 38", title="Vacaciones anuales")
    store = FakeStore([chunk], {"vacaciones anuales": [(38, 1.0)]})
    out = Console(file=io.StringIO(), width=80)

    def session(*lines: str) -> None:
        script = iter([*lines, "salir"])
        principal = QueueChat("Treinta días [C1].\n===META===\nUSED|1\nDROP|ninguno")
        live = make_services(store, QueueChat('["vacaciones anuales"]'), principal)
        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            kept = runner.run(stack.enter_async_context(open_conversations("sqlite:chat.sqlite", tmp_path)))
            found = Names(runner.run(kept.last_used()), runner.run(kept.titles.of_all()))
            graph, context = build_rag(live, kept.saver), RunContext()
            talk = Conversation(graph, context, out, language("es"), runner.run, law=True, names=found, kept=kept)
            talk.hold(lambda: next(script))
            runner.run(stack.aclose())

    session("¿Cuántas vacaciones tengo?")
    assert asyncio.run(names()) == ["Cuántas vacaciones tengo"]
    session("/abrir 1", "/renombrar Descanso")
    assert asyncio.run(names()) == ["Cuántas vacaciones tengo"]
    session("/conversaciones", "/abrir descanso", "/fuentes", "/borrar 1", "/conversaciones")
    shown = out.file.getvalue().rpartition("Para terminar")[2]
    assert " 1. Descanso\n" in shown
    assert "  Treinta días [C1].\n" in shown
    assert "[C1] " in shown.partition("\nFuentes\n")[2]
    assert asyncio.run(names()) == []
    assert b"Descanso" not in (tmp_path / "chat.sqlite").read_bytes()


def calculated(*lines: str, code: str = "es") -> str:
    out = Console(file=io.StringIO(), width=80)
    script = iter(lines[1:])
    with asyncio.Runner() as runner:
        calculate_at_prompt(out, language(code), None, runner.run, lines[0], lambda: next(script), None)
    return out.file.getvalue()


@pytest.fixture
def without_index(tmp_path, monkeypatch):
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path))


@pytest.mark.usefixtures("without_index")
@pytest.mark.parametrize(
    "asked", ["deadline/dismissal", "20", "plazo para impugnar un despido", "Un DESPIDO: plazo para impugnar"]
)
def test_a_calculation_asks_for_its_data_one_by_one(asked):
    shown = calculated(asked, "2 de marzo de 2026", *[""] * 9)
    assert shown.startswith("Plazo para impugnar un despido\nUna línea vacía, o una orden, lo deja.\n")
    assert "(--input" not in shown


@pytest.mark.usefixtures("without_index")
def test_the_day_of_a_calculation_may_be_a_word():
    before = date.today()
    shown = calculated("deadline/dismissal", "ayer", *[""] * 9)
    yesterdays = {str(day - timedelta(days=1)) for day in (before, date.today())}
    assert shown in [calculated("deadline/dismissal", day, *[""] * 9) for day in yesterdays]


@pytest.mark.usefixtures("without_index")
def test_a_wrong_datum_is_told_and_asked_for_again():
    shown = calculated("deadline/dismissal", "treinta de nunca", *[""] * 9)
    assert "treinta de nunca" in shown


def in_calculation(*lines: str, code: str = "es") -> str:
    out = Console(file=io.StringIO(), width=80)
    script = iter(["/calcular deadline/dismissal", *lines])
    with asyncio.Runner() as runner:
        spoken = language(code)
        work = partial(calculate_at_prompt, out, spoken, None, runner.run)
        talk = Conversation(FakeGraph(), RunContext(), out, spoken, runner.run, law=True, calculate=work)
        talk.hold(lambda: next(script))
    return out.file.getvalue()


def test_a_command_in_a_calculation_leaves_it_and_is_run():
    shown = in_calculation("/ayuda", "/fuentes", "¿otra cosa?", "salir")
    left, run = shown.split("Se ha dejado el cálculo.\n")
    assert left.endswith("¿Qué día tuvo efecto el despido?\n")
    assert run.startswith("Escriba una pregunta, o una de estas órdenes:\n")
    assert "La última respuesta no tiene fuentes.\n" in run
    assert "Respuesta a ¿otra cosa?" in run


@pytest.mark.parametrize("line", ["/salir", "salir", "/exit"])
def test_a_farewell_in_a_calculation_ends_the_conversation(line):
    assert in_calculation(line, "otra").endswith("Se ha dejado el cálculo.\n\nHasta luego.\n")


def test_an_unknown_command_in_a_calculation_is_told_with_the_nearest_one():
    shown = in_calculation("nunca jamás", "/aiuda", "/exit", code="en")
    assert "nunca jamás" in shown
    assert "The calculation was left.\nThere is no command /aiuda. Did you mean /ayuda?\n" in shown


def test_calculations_are_listed_and_found_by_the_words_of_their_titles():
    shown = calculated("")
    assert len(shown.splitlines()) >= len(CALCULATIONS)
    found = calculated("despido improcedente")
    assert "3. Indemnización del despido improcedente\n" in found
    assert "4. Indemnización del despido improcedente, dos tramos\n" in found
    assert "jubilación" not in found
    assert "No hay ningún cálculo para «qwertz zxcv»." in calculated("qwertz zxcv")
