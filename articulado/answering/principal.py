"""The principal: the answer to a question from the fragments of its context, and what it says of it.

``Principal`` is the Protocol, ``AnswerTask`` what it is given and ``Written`` what it returns. ``ChatPrincipal`` owns
the prompts for a chat model, the splitting of its stream and the parsing of its self-evaluation. Citation markers are
renumbered in the order of reading: the first citation is ``[C1]``.
"""

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
Write = Callable[[Any], None]
"""Sends an event to whoever streams the run."""


Refusal = Literal["", "bare", "explained"]
"""Refusal of a principal: the sentence alone, the sentence and more, or none."""


@dataclass(frozen=True)
class AnswerTask:
    """Question, context and conditions of an answer.

    ``marked`` asks for markers and a self-evaluation. ``last`` tells that nothing more will be fetched, that
    ``not_found`` is not there, and that ``unsupported`` parts of the first answer did not stand in its sources.
    ``draft`` is an answer without markers, which is to get them. ``supersedes`` is why an answer that is shown already
    no longer holds, empty where none is: it is said when there is something to take its place. A reply that has no
    answer is asked for again, up to so many ``replies``. ``deadline`` is a Unix time in seconds.
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
    """An answer: its text, numbered as it is read, the old numbers of what it cites first, and its self-evaluation.

    ``refusal`` tells whether it says that it does not know, ``cut`` that it ran into a limit on its length. It took so
    many ``replies``. ``warnings`` tell the user of other faults of the reply.
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
    """Answers a question. Retries and the deadline are its business."""

    @property
    def name(self) -> str:
        """Provider and model, for a person."""
        ...

    @property
    def quotes_only(self) -> bool:
        """True if its answers are quotations and reviewed texts: their check reads only markers."""
        ...

    async def answer(self, task: AnswerTask, write: Write) -> Written:
        """Stream the text as events to ``write``, then return it whole, with the self-evaluation.

        Raises:
            EmptyReply: there was nothing in any reply that could be an answer.
            ModelError: the provider failed for good. The requests of all replies are in its ``attempts``.
        """
        ...


class ChatPrincipal:
    """Asks a chat model for the answer; satisfies ``Principal``.

    ``brief`` fragments are for a chat model of a provider (``articulado.prompting.fragments.render``).
    """

    quotes_only = False

    def __init__(self, model: ChatModel, prompts: Prompts, *, brief: bool) -> None:
        self._model, self._prompts, self._brief = model, prompts, brief

    @property
    def name(self) -> str:
        """Provider and model."""
        return self._model.name

    async def answer(self, task: AnswerTask, write: Write) -> Written:
        """Stream an answer on the context of a task (``Principal.answer``)."""
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
        """Return history, fragments and, last, days and question: what changes most comes last, for prompt caching.

        The history has no markers: those of earlier answers number other fragments.
        """
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
        """Close the model's connections."""
        await self._model.close()


def refusal_in(answer: str, valid: Collection[int] = ()) -> Refusal:
    """Return whether an answer says, in any language of the program, that it does not know.

    An answer that cites one of the ``valid`` fragments does know something.
    """
    texts = tuple(language(code).translate("no_verified_information").casefold() for code in LANGUAGES)
    if answer.strip("*_. \n").casefold() in texts:
        return "bare"
    refused = answer.lstrip("*_ ").casefold().startswith(texts)
    return "explained" if refused and set(markers_in(answer, valid)).isdisjoint(valid) else ""


def nothing_written(name: str, requests: int, *, cut: bool) -> EmptyReply:
    """Return the error for a principal without an answer; ``cut``: it reached its limit before it began one."""
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
    """The way of a reply to the screen: taken apart, renumbered, its links cut; what is void is called back before."""

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
        """Take apart another reply; ``reason`` says why what is shown of the last one no longer holds."""
        if self._shown:
            self._write({"type": "retry", "reason": reason})
        self._shown, self._held = False, []
        self._links = self._links_to(self._show)
        self._renumberer = MarkerRenumberer(self._valid, self._links.feed)
        self._splitter = StreamSplitter(self._renumberer.feed)

    def feed(self, text: str) -> None:
        """Take the next piece of the reply."""
        self._splitter.feed(text)

    def close(self) -> tuple[StreamSplitter, MarkerRenumberer, str]:
        """Take the end of the reply, and return it taken apart, last its text as it was shown."""
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
    """Tell whether there is a word in a text that is no marker."""
    return bool(_SOMETHING.search(keep_markers(text, ())[0]))


def _sum(one: Cost, other: Cost) -> Cost:
    return {
        "requests": one["requests"] + other["requests"],
        "input_tokens": one["input_tokens"] + other["input_tokens"],
        "output_tokens": one["output_tokens"] + other["output_tokens"],
    }
