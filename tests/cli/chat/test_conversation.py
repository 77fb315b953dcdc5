import asyncio
import io
import shlex

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from rich.console import Console
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.language.languages import language
from articulado.retrieval.relevance.judge import Judgement
from articulado.values.errors import ModelTimeout
from cli.chat import Conversation
from graph.rag import build_rag
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


def held(lines: list[str], graph: FakeGraph, end: BaseException | None = None, code: str = "es", **given: bool) -> str:
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
    assert held(["uno", "/fuentes"], FakeGraph()).count("#a38") == 2


def test_it_begins_with_what_it_is_not():
    law = "Información general sobre la normativa; no es asesoramiento jurídico.\n"
    assert held([], FakeGraph(), law=True).startswith(law)
    plain = "Información general de la base de conocimiento; no es asesoramiento.\n"
    assert held([], FakeGraph(), law=False).startswith(plain)
    english = "General information from the knowledge base; it is no advice.\n"
    assert held([], FakeGraph(), code="en", law=False).startswith(english)


def test_sources_are_in_the_language_of_the_profile():
    shown = held(["one", "/fuentes"], FakeGraph(), code="en", law=False)
    assert shown.count("\nSources\n") == 2
    assert "Fuentes" not in shown


def test_help_and_unknown_commands():
    assert held(["/ayuda"], FakeGraph()).count("/fuentes ") == 1
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


def test_how_to_leave_is_said_at_the_beginning():
    assert "Para terminar, salir.\n" in held([], FakeGraph())
    assert "To leave, exit.\n" in held([], FakeGraph(), code="en", law=False)


@pytest.mark.parametrize("line", ["exit", "Quit.", "/exit", "bye", "/salir"])
def test_an_english_conversation_speaks_english(line):
    graph = FakeGraph()
    shown = held(["/help", "/new", "/sources", "/nothing", line, "leave"], graph, code="en", law=False)
    assert shown.count("Type a question, or one of these commands:") == 2
    assert "New conversation.\nThe last answer has no sources.\nThere is no command /nothing.\n" in shown
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
