"""Command ``articulado chat``: a conversation, stored in ``<home>/chat-<profile>.sqlite``."""

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable, Coroutine
from datetime import date
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console

from articulado.answering.footnotes import named
from articulado.language.folding import fold
from articulado.language.formats import long_day
from articulado.language.languages import Language, language
from articulado.legal.dates.forms import read_day
from articulado.legal.territory.mentions import place_called
from articulado.legal.territory.table import place_names
from articulado.values.errors import ConversationUnknown, StoreUnavailable
from cli.ask.view import AnswerView, print_below, print_brief
from cli.failures import complain, report
from cli.options import (
    AsOf,
    Collections,
    IndexFolder,
    ProfileOption,
    Rerank,
    Territory,
    read_configuration,
    run_context,
)
from cli.render import console, notice, print_indented
from cli.session import ALIKE, AROUND, Names, announce_first_index, ask_graph

if TYPE_CHECKING:
    from articulado.values.answers import Citation
    from graph.rag import Rag
    from graph.services import Services
    from server.conversations.store import Conversations
    from state.context import RunContext


MARKS = " .,;:!¡…«»“”\"'"
MOST_YEARS_AHEAD = 5
FILE = "sqlite:chat-{profile}.sqlite"

T = TypeVar("T")
Read = Callable[[], str]
Calculate = Callable[[str, Read, date | None], None]


class _CalculationLeft(Exception):
    """A command or a farewell was written in place of a datum."""

    def __init__(self, line: str) -> None:
        self.line = line
        super().__init__(line)


class Conversation:
    """Conversation on the terminal over a graph with stored threads; ``wait`` runs a coroutine to its end."""

    def __init__(
        self,
        graph: "Rag",
        context: "RunContext",
        out: Console,
        language_: Language,
        wait: Callable[[Coroutine[Any, Any, Any]], Any],
        *,
        law: bool,
        passage: "Callable[[Citation], Awaitable[str]] | None" = None,
        calculate: Calculate | None = None,
        names: Names | None = None,
        kept: "Conversations | None" = None,
    ) -> None:
        self._graph = graph
        self._context = context
        self._out = out
        self._language = language_
        self._wait = wait
        self._law = law
        self._passage = passage
        self._calculation = calculate
        self._names = names or Names()
        self._kept = kept
        self._name = ""
        self._read: Read = str
        self._unread = ""  # line read in a calculation that is a command of the conversation
        handlers = {
            "chat_sources": self._show_sources,
            "chat_day": self._choose_day,
            "chat_place": self._choose_place,
            "chat_calculate": self._calculate,
            "chat_new": self._begin_anew,
            "chat_list": self._list,
            "chat_open": self._open,
            "chat_rename": self._rename,
            "chat_delete": self._delete,
            "chat_help": self._show_help,
        }
        # Their Spanish and English names do in every language.
        self._commands = {
            name: handler
            for tongue in (language("en"), language("es"), language_)
            for key, handler in handlers.items()
            for name in tongue.translate(key).split()
        }

    @property
    def prompt(self) -> str:
        """Prompt with day and place, if the user has chosen them."""
        day = self._context.as_of
        chosen = [long_day(day.isoformat(), self._language.code)] if day else []
        chosen += [self._context.territory] if self._context.territory else []
        return f"\n[{' · '.join(chosen)}] › " if chosen else "\n› "

    def hold(self, read: Read) -> None:
        """Answer the lines of ``read`` until a farewell, the end of the input or Ctrl-C; errors are reported."""
        self._read = read
        self._out.print(f"{notice(self._language, law=self._law)}\n{self._say('chat_opening')}", style="dim")
        with contextlib.suppress(EOFError, KeyboardInterrupt):
            while not self._is_leave(line := self._next_line()):
                if line:
                    self._reply(line)
        self._out.print(f"\n{self._say('chat_farewell')}")

    def _next_line(self) -> str:
        line, self._unread = self._unread or self._read().strip(), ""
        return line

    def _say(self, key: str, **values: object) -> str:
        return self._language.translate(key, **values)

    def _tell(self, key: str, **values: object) -> None:
        self._out.print(self._say(key, **values), markup=False)

    def _is_leave(self, line: str) -> bool:
        return self._language.query_patterns.farewell.fullmatch(fold(line).strip(MARKS)) is not None

    def _reply(self, line: str) -> None:
        if not line.startswith("/"):
            self._answer(line)
            return
        command, _, rest = line.partition(" ")
        name = fold(command)
        if handler := self._commands.get(name):
            handler(rest.strip())
        elif near := get_close_matches(name, self._commands, 1, ALIKE):
            self._tell("chat_nearest_command", command=command, nearest=near[0])
        else:
            self._tell("chat_no_command", command=command)

    def _answer(self, question: str) -> None:
        if not self._name:
            self._name = self._names.begin(question)
        events = ask_graph(self._graph, question, self._context, thread=self._name)
        try:
            result = self._wait(AnswerView(self._out).show(events))
        except Exception as error:
            report(error)
            if not self._names.last(self._name):
                self._names.drop(self._name)
                self._name = ""
            return
        self._names.keep(self._name, result)
        print_brief(self._out, result, self._language)

    # Sources

    def _show_sources(self, asked: str) -> None:
        last = self._names.last(self._name)
        citations = {citation["mark"]: citation for citation in last.get("citations", [])}
        if not citations:
            self._tell("chat_no_sources")
        elif not asked:
            print_below(self._out, last, self._language)
        else:
            number = asked.strip("[]cC")
            if citation := citations.get(f"C{number}"):
                self._show_passage(citation)
            else:
                self._tell("chat_no_source", number=asked, known=", ".join(citations))

    def _show_passage(self, citation: "Citation") -> None:
        try:
            text = self._wait(_awaited(self._passage(citation))) if self._passage else ""
        except Exception as error:
            report(error)
            return
        name = named(citation["law"], citation["provision"], citation["title"])
        print_indented(self._out, f"[{citation['mark']}] {name}", indent=0, hang=5, style="bold")
        print_indented(self._out, text or self._say("chat_no_passage"), indent=2)
        for line in (citation.get("wording", ""), citation["note"]):
            if line:
                print_indented(self._out, line, indent=2, style="yellow")
        if citation["url"]:
            print_indented(self._out, citation["url"], indent=2, style="cyan")

    # Day, place and calculations

    def _choose_day(self, written: str) -> None:
        today = date.today()
        if self._is_no(written) or fold(written) in self._words("chat_today_words"):
            self._context = self._context.model_copy(update={"as_of": None})
        elif written:
            day = read_day(written, today)
            if day is None:
                self._tell("chat_no_day", day=written)
                return
            if day.year > today.year + MOST_YEARS_AHEAD:
                self._tell("chat_far_day", day=long_day(day.isoformat(), self._language.code))
                return
            self._context = self._context.model_copy(update={"as_of": day})
        chosen = self._context.as_of
        key = "chat_of_day" if chosen else "chat_of_today"
        self._tell(key, day=long_day((chosen or today).isoformat(), self._language.code))

    def _choose_place(self, written: str) -> None:
        if self._is_no(written):
            self._context = self._context.model_copy(update={"territory": None})
        elif written:
            place = place_called(written)
            if place is None:
                near = get_close_matches(fold(written), place_names(), 1, ALIKE)
                nearest = found.name if near and (found := place_called(near[0])) else ""
                self._tell("chat_nearest_place" if nearest else "chat_no_place", place=written, nearest=nearest)
                return
            self._context = self._context.model_copy(update={"territory": place.name})
        chosen = self._context.territory
        self._tell("chat_in_place" if chosen else "chat_anywhere", place=chosen)

    def _is_no(self, written: str) -> bool:
        return fold(written) in self._words("chat_no_words")

    def _words(self, key: str) -> list[str]:
        tongues = (self._language, language("es"), language("en"))
        return [word for tongue in tongues for word in tongue.translate(key).split()]

    def _calculate(self, asked: str) -> None:
        if self._calculation is None:
            self._tell("chat_no_command", command=self._say("chat_calculate"))
        else:
            try:
                self._calculation(asked, self._read_datum, self._context.as_of)
            except _CalculationLeft as left:
                self._tell("chat_calculation_left")
                self._unread = left.line
            except (EOFError, KeyboardInterrupt):
                self._out.print()
            except Exception as error:
                report(error)

    def _read_datum(self) -> str:
        line = self._read().strip()
        if line.startswith("/") or self._is_leave(line):
            raise _CalculationLeft(line)
        return line

    # Conversations

    def _begin_anew(self, _: str) -> None:
        self._name = ""
        self._tell("chat_begun")

    def _list(self, _: str) -> None:
        names = list(self._names)
        if not names:
            self._tell("chat_no_conversations")
        for number, name in enumerate(names, start=1):
            current = f" ({self._say('chat_current')})" if name == self._name else ""
            print_indented(self._out, f"{number:>2}. {self._names.title(name)}{current}", indent=2, hang=4)

    def _open(self, written: str) -> None:
        if name := self._found(written):
            self._name = name
            self._tell("chat_opened", name=self._names.title(name))
            if not self._names.last(name) and self._kept:
                turns = self._wait(self._kept.read(name)).turns
                if turns:
                    self._names.keep(name, dict(turns[-1]))
            if last := self._names.last(name):
                print_indented(self._out, last["answer"], indent=2, style="dim")

    def _rename(self, written: str) -> None:
        if not self._name:
            self._tell("chat_none_to_rename")
        elif title := self._names.rename(self._name, written):
            if self._kept:
                self._wait(self._kept.titles.put(self._name, title))
            self._tell("chat_renamed", name=title)
        else:
            self._tell("chat_no_name", name=self._names.title(self._name))

    def _delete(self, written: str) -> None:
        if name := self._found(written):
            title = self._names.title(name)
            if self._kept:
                with contextlib.suppress(ConversationUnknown):  # one of which no turn was kept
                    self._wait(self._kept.delete(name))
            self._names.drop(name)
            self._name = "" if name == self._name else self._name
            self._tell("chat_deleted", name=title)

    def _found(self, written: str) -> str | None:
        name = self._names.find(written.strip(AROUND))
        if not written:
            self._list("")
        elif name is None:
            self._tell("chat_no_conversation", name=written)
        return name if written else None

    def _show_help(self, _: str) -> None:
        self._tell("chat_help_text")


async def _awaited(value: Awaitable[T]) -> T:
    return await value


async def _passage(services: "Services", citation: "Citation") -> str:
    chunks = await services.store.fetch([citation["chunk_id"]])
    return chunks[0]["text"] if chunks else citation.get("text", "")


async def _opened(stack: contextlib.AsyncExitStack, where: str, home: Path) -> "Conversations":
    """Open the stored conversations, or those in memory if the disk is not writable."""
    from server.conversations.store import MEMORY, open_conversations

    try:
        return await stack.enter_async_context(open_conversations(where, home))
    except StoreUnavailable as error:
        complain(str(error))
        return await stack.enter_async_context(open_conversations(MEMORY, home))


def chat(
    index: IndexFolder = None,
    profile: ProfileOption = None,
    as_of: AsOf = None,
    territory: Territory = None,
    collections: Collections = None,
    rerank: Rerank = None,
) -> None:
    """Hold a conversation on the terminal."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  editing and history at the prompt

    from cli.calculate import calculate_at_prompt
    from graph.compose import open_services
    from graph.rag import build_rag

    settings, knowledge = read_configuration(index, profile)
    context = run_context(knowledge, as_of, territory, collections, rerank)
    out = console()
    # One loop for the whole conversation keeps connections alive from one question to the next.
    with asyncio.Runner() as runner:
        stack = contextlib.AsyncExitStack()
        try:
            services = runner.run(open_services(settings, knowledge, announce=announce_first_index))
            stack.push_async_callback(services.close)
            kept = runner.run(_opened(stack, FILE.format(profile=knowledge.name), settings.home))
            is_law = services.profile.features.spanish_law
            conversation = Conversation(
                build_rag(services, kept.saver),
                context,
                out,
                services.language,
                runner.run,
                law=is_law,
                passage=partial(_passage, services),
                calculate=partial(calculate_at_prompt, out, services.language, index, runner.run) if is_law else None,
                names=Names(runner.run(kept.last_used()), runner.run(kept.titles.of_all())),
                kept=kept,
            )
            conversation.hold(lambda: input(conversation.prompt if sys.stdin.isatty() else ""))
        finally:
            runner.run(stack.aclose())
