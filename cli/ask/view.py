"""Terminal view of an answer, its sources, checks and warnings; in a pipe it is written once, when it is final."""

import json
import re
import shlex
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.control import Control
from rich.rule import Rule
from rich.segment import ControlType
from rich.text import Text

from articulado.answering.footnotes import kind_of_source, named
from articulado.language.folding import fold
from articulado.language.formats import long_day, written
from articulado.legal.laws.registry import name_in
from cli.render import clean, notice, print_indented, print_sources, print_warnings

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.language.languages import Language
    from articulado.values.answers import CaseGuide, Citation, StreamEvent


STAGES = {
    "analyze_question": "Leyendo la pregunta…",
    "decompose": "Preparando la búsqueda…",
    "hybrid_search": "Buscando en la normativa…",
    "rerank": "Ordenando los preceptos encontrados…",
    "answer": "Redactando la respuesta…",
    "refetch": "Consultando más normativa…",
    "check_claims": "Contrastando la respuesta con sus fuentes…",
}


class WordWrap:
    """Break streamed text between words; a word is written once it is complete."""

    _WORD = re.compile(r"(\s*)(\S+)(?=\s)")

    def __init__(self, write: Callable[[str], None], width: int) -> None:
        self._write = write
        self._width = width
        self._column = 0
        self._pending = ""

    def feed(self, text: str) -> None:
        """Add the next piece of the text."""
        self._pending += text
        end = 0
        for match in self._WORD.finditer(self._pending):
            self._word(match[1], match[2])
            end = match.end()
        self._pending = self._pending[end:]

    def close(self) -> None:
        """Write the rest and end the line."""
        word = self._pending.strip()
        if word:
            self._word(self._pending[: self._pending.index(word)], word)
        self._write("\n")

    def _word(self, space: str, word: str) -> None:
        breaks, indent = space.count("\n"), space.rpartition("\n")[2]
        if breaks:
            space, self._column = "\n" * breaks + indent, cell_len(indent)
        elif self._column and self._column + cell_len(space + word) > self._width:
            space, self._column = "\n", 0
        else:
            self._column += cell_len(space)
        self._column += cell_len(word)
        self._write(space + word)


class AnswerView:
    """View of one answer, shown while it is written; the text of ``final`` replaces it, if it fits on the screen."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._status = out.status(STAGES["analyze_question"])
        self._wrap: WordWrap | None = None
        self._shown = ""
        self._written: list[str] = []  # what is shown, as it was broken into lines

    async def show(self, events: "AsyncIterator[StreamEvent]") -> dict[str, Any]:
        """Show the events of one run and return its result."""
        result: dict[str, Any] = {}
        try:
            async for event in events:
                if event["type"] == "final":
                    result = dict(event.get("result", {}))
                elif self._out.is_terminal:
                    self._handle(event)
        finally:
            self._status.stop()
            self._end_text()
        self._settle(clean(result["answer"]).strip())
        return result

    def _handle(self, event: "StreamEvent") -> None:
        if event["type"] == "stage" and not self._shown:
            self._status.update(STAGES.get(event["stage"], self._status.status))
            self._status.start()
        elif event["type"] == "token":
            self._status.stop()
            self._wrap = self._wrap or WordWrap(self._write, self._out.width)
            self._wrap.feed(clean(event["text"]))
            self._shown += clean(event["text"])
        elif event["type"] == "retry" and self._shown:
            self._supersede(f"{event['reason']} Vale la respuesta que sigue:")
            self._status.update(clean(event["reason"]))
            self._status.start()

    def _write(self, text: str) -> None:
        self._written.append(text)
        self._out.out(text, end="")

    def _supersede(self, reason: str) -> None:
        self._end_text()
        rows = _rows("".join(self._written), self._out.width)
        if rows < self._out.height and not self._out.is_dumb_terminal:
            up = ((ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2))
            self._out.control(Control(ControlType.CARRIAGE_RETURN, *up * rows))
        else:
            self._out.print(Rule(style="yellow"))
            self._out.print(clean(reason), style="yellow", markup=False)
        self._shown, self._written = "", []

    def _end_text(self) -> None:
        if self._wrap:
            self._wrap.close()
            self._wrap = None

    def _settle(self, answer: str) -> None:
        if answer == self._shown.strip():
            return
        if self._shown:
            self._supersede("Respuesta revisada:")
        self._out.print(Text(answer))


def _rows(text: str, width: int) -> int:
    return sum(max(1, -(-cell_len(line.expandtabs()) // width)) for line in text.split("\n")[:-1])


async def final_result(events: "AsyncIterator[StreamEvent]") -> dict[str, Any]:
    return [dict(event.get("result", {})) async for event in events if event["type"] == "final"][-1]


MAX_REMISSIONS = 5
MAX_WORDS = 50
MAX_WHERE = 70


def print_end(out: Console, result: Mapping[str, Any], profile: "Profile", language: "Language") -> None:
    language = language_of_result(result, language)
    print_below(out, result, language, listed_by="--json")
    out.print(f"\n{notice(language, law=profile.features.spanish_law)}", style="dim", markup=False)


def print_below(out: Console, result: Mapping[str, Any], language: "Language", *, listed_by: str = "") -> None:
    """Print the parts below an answer: sources, checks, warnings and the commands of guides.

    ``listed_by``: the option or command that lists the provisions that were not read; without it they are printed.
    """
    language = language_of_result(result, language)
    print_sources(out, result["citations"], language, result.get("answer", ""))
    if not listed_by:
        print_unread(out, result.get("unread", []), language)
    print_checks(out, result, language, listed_by=listed_by)
    print_warnings(out, result["warnings"], language.translate("view_warning", text="{text}"))
    for guide in result.get("guides", []):
        out.print(Text(f"\n{language.translate('view_ask_guide', command=guide_command(guide))}"), soft_wrap=True)


def print_brief(out: Console, result: Mapping[str, Any], language: "Language") -> None:
    """Print the parts below an answer in a conversation: sources in a line per law, and findings."""
    language = language_of_result(result, language)
    labels: dict[str, dict[str, str]] = {}
    for citation in result["citations"]:
        law = name_in(language.code, citation["law_id"], citation["law"])
        kind = kind_of_source(citation, language)
        label = " ".join(filter(None, (citation["provision"] if citation["provision"] != law else "", kind)))
        marks = labels.setdefault(law, {})
        marks[label] = f"{marks.get(label, '')}[{citation['mark']}]"
    if labels:
        out.print(f"\n{language.translate('view_sources_brief')}", style="bold", markup=False)
    for law, marked in labels.items():
        sources = "; ".join(f"{label} {marks}".strip() for label, marks in marked.items())
        print_indented(out, f"{law}: {sources}", indent=2, hang=2, style="dim")
    if unread := result.get("unread", []):
        command = language.translate("chat_sources").split()[0]
        print_indented(out, _unread_count(len(unread), language, command), indent=2, style="dim")
    if result["citations"] and not result.get("abstained"):
        print_findings(out, result, language)
    print_warnings(out, result["warnings"], language.translate("view_warning", text="{text}"))
    for guide in result.get("guides", []):
        out.print(Text(f"\n{language.translate('view_ask_guide', command=guide_command(guide))}"), soft_wrap=True)


def language_of_result(result: Mapping[str, Any], language: "Language") -> "Language":
    from articulado.language.languages import answered_in

    return answered_in(result.get("language", ""), language)


def guide_command(guide: "CaseGuide") -> str:
    r"""Return the shell command that asks a guide for the data it needs.

    >>> guide_command({"article_id": "f", "title": "F", "topic": "finiquito", "inquiry": "¿Me toca\n$5?"})
    "articulado case required-data --topic finiquito --inquiry '¿Me toca $5?'"
    """
    inquiry = " ".join(clean(guide["inquiry"]).split())
    asked = ["--topic", guide["topic"], "--inquiry", inquiry]
    if data := guide.get("collected_data"):
        return shlex.join(
            ["articulado", "case", "respond", *asked, "--collected-data", json.dumps(data, ensure_ascii=False)]
        )
    return shlex.join(["articulado", "case", "required-data", *asked])


def print_unread(out: Console, unread: "Sequence[Citation]", language: "Language") -> None:
    """Print the provisions that the answer names and the model had not read, with their beginning."""
    if unread:
        out.print(f"\n{language.translate('view_not_read')}", style="yellow", markup=False)
    for source in unread:
        print_indented(
            out, f"- {named(source['law'], source['provision'])}: {_beginning(source['text'])}", indent=2, hang=2
        )
        if source["url"]:
            print_indented(out, source["url"], indent=7, style="cyan")


def _beginning(text: str) -> str:
    words = text.split()
    return " ".join(words) if len(words) <= MAX_WORDS else f"{' '.join(words[:MAX_WORDS])} […]"


def print_checks(out: Console, result: Mapping[str, Any], language: "Language", *, listed_by: str = "") -> None:
    """Print findings, open references and the days of the law; a single line if everything holds."""
    if certificate := result.get("certificate"):
        _print_certificate(out, certificate, language)
    if not result["citations"] or result.get("abstained"):
        if listed_by and (unread := result.get("unread", [])):
            print_indented(out, f"\n{_unread_count(len(unread), language, listed_by)}", indent=0, style="dim")
        return
    print_findings(out, result, language)
    checked = result.get("checked", [])
    lines = [language.translate(f"view_stands_{checked[-1]}")] if checked and not result.get("findings") else []
    if not listed_by:
        lines += _remissions(result, language)
    elif number := len(result.get("unread", [])) + len(_not_consulted(result)):
        lines.append(_unread_count(number, language, listed_by))
    lines += _freshness(result, language)
    if lines:
        out.print()
    for line in lines:
        print_indented(out, line, indent=0, style="dim")


def print_findings(out: Console, result: Mapping[str, Any], language: "Language") -> None:
    """Print the findings of the checks, and the notes on precedence."""
    from articulado.verification.claims import side_by_side  # loads what most commands do without

    findings = result.get("findings", [])
    if findings:
        out.print(f"\n{language.translate('view_findings')}", style="bold yellow", markup=False)
    for finding in findings:
        lines = side_by_side(finding, language)
        about = finding["message"] if lines else f"«{_cut(finding['where'])}»: {finding['message']}"
        print_indented(out, f"- {about}", indent=2, hang=2, style="yellow")
        for line in lines:
            print_indented(out, line, indent=4, style="yellow")
    for note in result.get("precedence", []):
        out.print(f"\n{clean(note)}", style="yellow", markup=False)


def _cut(where: str) -> str:
    where = " ".join(where.split())
    return where if len(where) <= MAX_WHERE else f"{where[:MAX_WHERE].rsplit(' ', 1)[0]} […]"


def _unread_count(number: int, language: "Language", listed_by: str) -> str:
    return language.translate("view_not_read_count", number=number, listed_by=listed_by)


def _not_consulted(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    told = {(source["law"], fold(source["provision"])) for source in result.get("unread", [])}
    return [
        each
        for each in result.get("remissions", [])
        if not each["consulted"] and (each["law"], fold(each["provision"])) not in told
    ]


def _remissions(result: Mapping[str, Any], language: "Language") -> list[str]:
    unread = _not_consulted(result)
    if not unread:
        return []
    by_law: dict[str, list[str]] = {}
    for each in unread[:MAX_REMISSIONS]:
        by_law.setdefault(each["law"], []).append(each["provision"])
    named_by_law = "; ".join(f"{', '.join(provisions)} ({law})" for law, provisions in by_law.items())
    rest = len(unread) - MAX_REMISSIONS
    more = f" {language.translate('view_more', number=rest)}" if rest > 0 else ""
    return [language.translate("view_remissions", named=named_by_law, more=more)]


def _freshness(result: Mapping[str, Any], language: "Language") -> list[str]:
    freshness = result.get("freshness") or {}
    cited = freshness.get("laws", [])
    laws = [f"{each['law']}: {_day(each['last_change'], language)}" for each in cited if each["last_change"]]
    unchanged = [each for each in cited if not each["last_change"] and each.get("published")]
    index_day = freshness.get("index_day")
    said = [language.translate("view_index_day", day=_day(index_day, language))] if index_day else []
    said += [language.translate("view_last_changes", laws="; ".join(laws))] if laws else []
    said += [
        language.translate("view_published", law=each["law"], day=_day(each["published"], language))
        for each in unchanged
    ]
    return [" ".join(said)] if said else []


def _day(day: str, language: "Language") -> str:
    return long_day(day, language.code)


def _print_certificate(out: Console, certificate: Mapping[str, Any], language: "Language") -> None:
    if not certificate["candidates"]:
        return
    out.print()
    probability = certificate["relevance"]
    summary = language.translate("view_certificate", number=certificate["candidates"])
    summary += "." if probability is None else language.translate("view_probability", percent=_percent(probability))
    print_indented(out, summary, indent=0, style="dim")
    for best in certificate["best"]:
        scored = language.translate("view_scored", relevance=written(best["relevance"], 2, language.code))
        print_indented(out, f"- {named(best['law'], best['provision'])} {scored}", indent=2, hang=2, style="dim")
    if certificate["missing"]:
        words = ", ".join(map(language.quoted, certificate["missing"]))
        print_indented(out, language.translate("view_missing", words=words), indent=0, style="dim")


def _percent(probability: float) -> str:
    return "< 1 %" if probability < 0.01 else f"{round(100 * probability)} %"
