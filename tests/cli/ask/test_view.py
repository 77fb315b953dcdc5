import io

import pytest
from rich.console import Console
from support.terminal import on_screen

from cli.ask.view import AnswerView, WordWrap, final_result


def screen(terminal: bool, width: int = 40) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=None, highlight=False)


async def events(*given):
    for event in given:
        yield event


def token(text):
    return {"type": "token", "text": text}


def final(answer):
    return {"type": "final", "result": {"answer": answer}}


RETRY = {"type": "retry", "reason": "Se han consultado más preceptos."}


def written(out: Console) -> str:
    """What stays on screen: without the cursor movements of the spinner."""
    text = out.file.getvalue()
    return text[text.rindex("\x1b[") :] if "\x1b[" in text else text


async def test_a_terminal_shows_the_text_once_as_it_was_streamed():
    out = screen(terminal=True)
    await AnswerView(out).show(events(token("Treinta "), token("días [C1]."), final("Treinta días [C1].")))
    assert written(out) == "Treinta días [C1].\n"


async def test_a_pipe_gets_the_final_answer_only():
    out = screen(terminal=False)
    result = await AnswerView(out).show(events(token("Quince"), RETRY, token("Treinta"), final("Treinta [C1].")))
    assert written(out) == "Treinta [C1].\n"
    assert result == {"answer": "Treinta [C1]."}


LONG = "Quince días naturales, o más si lo dice el convenio.\n\n- Uno\n- larguísimapalabraquenocabeenunasolalínea"


@pytest.mark.parametrize("width", [20, 40, 80])
@pytest.mark.parametrize("superseded", ["Quince días.", LONG, "q" * 20, "q" * 40, "q" * 41, "\tQuince"])
async def test_a_retry_takes_back_what_was_shown(superseded, width):
    out = screen(terminal=True, width=width)
    out.print("› ¿Y eso?")
    await AnswerView(out).show(events(token(superseded), RETRY, token("Treinta."), final("Treinta.")))
    assert on_screen(out.file.getvalue(), width) == ["› ¿Y eso?", "Treinta."]


async def test_each_retry_takes_back_what_was_shown_since_the_one_before():
    out = screen(terminal=True)
    out.print("Antes.")
    texts = [token(LONG), RETRY, token("Quince."), RETRY, token("Treinta.")]
    await AnswerView(out).show(events(*texts, final("Treinta.")))
    assert on_screen(out.file.getvalue(), 40) == ["Antes.", "Treinta."]


async def test_the_reason_of_a_retry_is_a_transient_line():
    out = screen(terminal=True)
    await AnswerView(out).show(events(token("Quince."), RETRY, token("Treinta."), final("Treinta.")))
    assert RETRY["reason"] in out.file.getvalue()
    assert on_screen(out.file.getvalue(), 40) == ["Treinta."]


async def test_a_retry_marks_text_that_has_scrolled_away_as_superseded():
    out = screen(terminal=True, width=80)
    out.height = 10
    text = "\n".join(f"{number} días." for number in range(10))
    await AnswerView(out).show(events(token(text), RETRY, token("Treinta días."), final("Treinta días.")))
    lines = on_screen(out.file.getvalue(), 80)
    assert lines[:10] == text.split("\n")
    assert set(lines[10]) == {"─"}
    assert lines[11] == "Se han consultado más preceptos. Vale la respuesta que sigue:"
    assert lines[12:] == ["Treinta días."]


async def test_a_retry_before_any_text_is_not_mentioned():
    out = screen(terminal=True)
    await AnswerView(out).show(events(RETRY, token("Treinta."), final("Treinta.")))
    assert written(out) == "Treinta.\n"


async def test_a_final_answer_other_than_the_streamed_one_takes_its_place():
    out = screen(terminal=True)
    await AnswerView(out).show(events(token("Treinta [C9]."), final("Treinta.")))
    assert on_screen(out.file.getvalue(), 40) == ["Treinta."]


async def test_a_final_answer_other_than_one_that_has_left_the_screen_is_shown_after_it():
    out = screen(terminal=True)
    out.height = 1
    await AnswerView(out).show(events(token("Treinta [C9]."), final("Treinta.")))
    lines = on_screen(out.file.getvalue(), 40)
    assert lines[0] == "Treinta [C9]."
    assert lines[2:] == ["Respuesta revisada:", "Treinta."]


async def test_an_answer_that_was_not_streamed_is_shown():
    out = screen(terminal=True)
    await AnswerView(out).show(events(final("No tengo esa información verificada.")))
    assert written(out) == "No tengo esa información verificada.\n"


async def test_stages_are_a_transient_line():
    out = screen(terminal=True)
    await AnswerView(out).show(events({"type": "stage", "stage": "hybrid_search"}, token("Sí."), final("Sí.")))
    assert "Buscando en la normativa…" in out.file.getvalue()
    assert written(out).endswith("Sí.\n")
    assert "Buscando" not in written(out)


async def test_markup_and_control_characters_of_a_text_have_no_effect():
    out = screen(terminal=False)
    await AnswerView(out).show(events(final("[red]Uno[/red]\x1b[2J\x07 :smile: dos")))
    assert written(out) == "[red]Uno[/red][2J :smile: dos\n"


async def test_an_error_in_mid_answer_ends_the_line_and_goes_on():
    async def broken():
        yield token("Treinta días")
        raise RuntimeError("cae")

    out = screen(terminal=True)
    with pytest.raises(RuntimeError, match="cae"):
        await AnswerView(out).show(broken())
    assert written(out) == "Treinta días\n"


async def test_final_result_returns_the_result_of_the_final_event():
    assert await final_result(events(token("a"), RETRY, final("b"))) == {"answer": "b"}


@pytest.mark.parametrize("cut", [1, 3, 7, 100])
def test_streamed_text_breaks_between_words(cut):
    text = "uno dos tres\n\n  - cuatro cinco\nlarguísimapalabra x"
    pieces: list[str] = []
    wrap = WordWrap(pieces.append, width=10)
    for start in range(0, len(text), cut):
        wrap.feed(text[start : start + cut])
    wrap.close()
    assert "".join(pieces) == "uno dos\ntres\n\n  - cuatro\ncinco\nlarguísimapalabra\nx\n"
