"""The principal: it answers a question from the fragments of its context, with a self-evaluation."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Protocol

from articulado.language.languages import LANGUAGES, Language, language
from articulado.language.translation import translate
from articulado.prompting.citation_markers import MarkerRenumberer, by_mark, keep_markers, markers_in
from articulado.prompting.fragments import neutralise, write_prompt
from articulado.prompting.outgoing_links import LinkFilter, source_addresses
from articulado.prompting.prompts import Prompts
from articulado.prompting.stream_splitter import SelfEvaluation, StreamSplitter, read_self_evaluation
from articulado.values.answers import Days, Message, TurnQuestion
from articulado.values.chunks import Candidate
from articulado.values.errors import NO_COST, ContentFiltered, Cost, EmptyReply, ModelError, ModelTimeout, cost_of
from articulado.values.protocols import ChatModel, Closable

HISTORY_MESSAGES = 6

_SOMETHING = re.compile(r"\w")

Show = Callable[[str], None]
Write = Callable[[Any], None]  # Sends an event to the stream of the run


Refusal = Literal["", "bare", "explained"]  # Refusal of a principal: the sentence alone, with an explanation, or none


@dataclass(frozen=True)
class AnswerTask:
    """Question, context and conditions of an answer.

    - ``marked``: ask for markers and a self-evaluation.
    - ``last``: nothing more will be fetched, ``not_found`` is missing, and ``unsupported`` parts of the first answer
      had no source.
    - ``draft``: an answer without markers, to be marked.
    - ``supersedes``: reason why a displayed answer is replaced, shown when the new one begins.
    - ``replies``: maximum number of replies if one is empty; ``deadline``: Unix time in seconds.
    """

    question: TurnQuestion
    context: Sequence[Candidate]
    conversation: Sequence[Message]
    days: Days
    language: Language
    marked: bool = True
    last: bool = False
    not_found: Sequence[str] = ()
    unsupported: Sequence[str] = ()
    draft: str = ""
    supersedes: str = ""
    replies: int = 1
    deadline: float | None = None


@dataclass(frozen=True)
class Written:
    """An answer with its citations renumbered in reading order, and its self-evaluation.

    ``cited``: old number of each citation, in the new order. ``cut``: the answer reached its length limit. ``replies``:
    number of replies requested. ``warnings``: other faults for the user.
    """

    text: str
    cited: Sequence[int]
    evaluation: SelfEvaluation
    refusal: Refusal = ""
    cut: bool = False
    cost: Cost = field(default_factory=lambda: NO_COST)
    replies: int = 1
    warnings: tuple[str, ...] = ()


class Principal(Closable, Protocol):
    """Answers a question, with retries within the deadline."""

    @property
    def name(self) -> str: ...

    @property
    def quotes_only(self) -> bool:
        """True if answers are quotations and reviewed texts: only their markers are checked."""
        ...

    async def answer(self, task: AnswerTask, write: Write) -> Written:
        """Stream the text as events to ``write``, then return the whole answer.

        Raise ``EmptyReply`` if no reply contained an answer, ``ModelError`` if the provider failed for good; its
        ``attempts`` counts the requests of all replies.
        """
        ...


class ChatPrincipal:
    """Principal with a chat model; ``brief`` is that of ``articulado.prompting.fragments.render``."""

    quotes_only = False

    def __init__(self, model: ChatModel, prompts: Prompts, *, brief: bool) -> None:
        self._model, self._prompts, self._brief = model, prompts, brief

    @property
    def name(self) -> str:
        return self._model.name

    async def answer(self, task: AnswerTask, write: Write) -> Written:
        """Stream an answer (``Principal.answer``)."""
        system, messages = self._prompts["answer" if task.marked else "answer_classic"], self._messages(task)
        fragments = len(by_mark(task.context))
        stream = _stream_of(task, write)
        interrupted = task.language.translate("rag_answer_interrupted")
        cost, cut = NO_COST, False

        def restart() -> None:
            stream.begin_again(interrupted)

        for asked in range(1, task.replies + 1):
            stream.begin_again(interrupted)
            try:
                completion = await self._model.stream(
                    system, messages, on_text=stream.feed, on_restart=restart, deadline=task.deadline
                )
            except ModelError as error:
                error.attempts += cost["requests"]
                if isinstance(error, ContentFiltered):
                    stream.begin_again(task.language.translate("rag_answer_withdrawn"))
                if asked > 1 and isinstance(error, ModelTimeout):
                    raise nothing_written(self.name, error.attempts, cut=cut) from error
                raise
            splitter, renumberer, text = stream.close()
            cost, cut = _sum(cost, cost_of(completion)), completion.cut
            if _says_something(text):
                evaluation = read_self_evaluation(splitter, fragments, marked=task.marked)
                refusal = refusal_in(text, range(1, fragments + 1))
                return Written(text, renumberer.cited, evaluation, refusal, cut, cost, asked, completion.warnings)
        raise nothing_written(self.name, cost["requests"], cut=cut)

    def _messages(self, task: AnswerTask) -> list[Message]:
        """Return history, fragments, days and question: changing parts last, for prompt caching."""
        history: list[Message] = [
            {"role": message["role"], "content": neutralise(keep_markers(message["content"], ())[0])}
            for message in task.conversation[-HISTORY_MESSAGES:]
        ]
        content = write_prompt(
            task.context,
            task.question["text"],
            subject=task.question["subject"],
            days=task.days,
            markers=task.marked,
            last=task.last,
            not_found=task.not_found,
            unsupported=task.unsupported,
            brief=self._brief,
        )
        messages: list[Message] = [*history, {"role": "user", "content": content}]
        if task.draft:
            messages.append({"role": "assistant", "content": task.draft})
            messages.append({"role": "user", "content": self._prompts["repair_marks"]})
        return messages

    async def close(self) -> None:
        await self._model.close()


def refusal_in(answer: str, valid: Collection[int] = ()) -> Refusal:
    """Return the refusal in an answer, in any supported language; an ``explained`` one has no ``valid`` citation."""
    texts = tuple(language(code).translate("no_verified_information").casefold() for code in LANGUAGES)
    if answer.strip("*_. \n").casefold() in texts:
        return "bare"
    refused = answer.lstrip("*_ ").casefold().startswith(texts)
    return "explained" if refused and set(markers_in(answer, valid)).isdisjoint(valid) else ""


def nothing_written(name: str, requests: int, *, cut: bool) -> EmptyReply:
    """Return the error for a principal that wrote no answer, ``cut`` if it reached its length limit before."""
    why = translate("question.cut_before") if cut else ""
    error = EmptyReply(translate("question.nothing_written", name=name, why=why))
    error.attempts = requests
    return error


def _stream_of(task: AnswerTask, write: Write) -> "_Stream":
    valid = range(1, len(by_mark(task.context)) + 1) if task.marked else range(0)
    left_out = task.language.translate("rag_link_left_out")
    links = partial(LinkFilter, source_addresses(task.context), left_out)
    return _Stream(valid, links, write, task.supersedes)


class _Stream:
    """Pipeline of a reply to the client: splitter, renumberer, link filter; withdraws void text."""

    def __init__(
        self, valid: Sequence[int], links: Callable[[Show], LinkFilter], write: Write, supersedes: str
    ) -> None:
        self._valid = valid
        self._links_to = links
        self._write = write
        self._supersedes = supersedes
        self._shown = False
        self._held: list[str] = []  # what says nothing yet
        self._links = links(self._show)
        self._renumberer = MarkerRenumberer(valid)
        self._splitter = StreamSplitter()

    def begin_again(self, reason: str) -> None:
        """Begin another reply; ``reason`` explains the withdrawal of displayed text."""
        if self._shown:
            self._write({"type": "retry", "reason": reason})
        self._shown, self._held = False, []
        self._links = self._links_to(self._show)
        self._renumberer = MarkerRenumberer(self._valid, self._links.feed)
        self._splitter = StreamSplitter(self._renumberer.feed)

    def feed(self, text: str) -> None:
        self._splitter.feed(text)

    def close(self) -> tuple[StreamSplitter, MarkerRenumberer, str]:
        self._splitter.close()
        self._renumberer.close()
        self._links.close()
        return self._splitter, self._renumberer, self._links.text

    def _show(self, text: str) -> None:
        # Nothing else than an answer may take the place of one; markers come whole.
        if not self._shown and not _says_something(text):
            self._held.append(text)
            return
        text, self._held = "".join([*self._held, text]), []
        if self._supersedes:
            self._write({"type": "retry", "reason": self._supersedes})
            self._supersedes = ""
        self._shown = True
        self._write({"type": "token", "text": text})


def _says_something(text: str) -> bool:
    return bool(_SOMETHING.search(keep_markers(text, ())[0]))


def _sum(first: Cost, second: Cost) -> Cost:
    return {
        "requests": first["requests"] + second["requests"],
        "input_tokens": first["input_tokens"] + second["input_tokens"],
        "output_tokens": first["output_tokens"] + second["output_tokens"],
    }
