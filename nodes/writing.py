"""Shared steps of the stages that write with the principal model: prompt, stream and state update.

Citation markers are renumbered in the order of reading: the first citation is ``[C1]`` and the first chunk
of the context.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NotRequired

from typing_extensions import TypedDict

from articulado.language.languages import Language
from articulado.language.translation import translate
from articulado.prompting.citation_markers import MarkerRenumberer, by_mark, keep_markers
from articulado.prompting.fragments import neutralise, write_prompt
from articulado.prompting.outgoing_links import LinkFilter, source_addresses, texts_without_foreign_links
from articulado.prompting.self_evaluation import MAX_NEEDS, Reply, read_self_evaluation
from articulado.prompting.stream_splitter import StreamSplitter
from articulado.retrieval.needs import name_of, needs_in_answer, provisions_needed
from articulado.values.answers import NO_COST, AnswerOutcome, Cost, Message, Need, cost_of
from articulado.values.chunks import Candidate, provision_of
from articulado.values.errors import ContentFiltered, EmptyReply, ModelError, ModelTimeout
from articulado.values.protocols import ChatModel
from articulado.verification.disclosures import calls_for_second_answer
from state.rag import RagState, days_of

HISTORY_MESSAGES = 6
MAX_REPLIES = 2
"""Replies that a principal is asked for in a question: one that is empty is asked for again, and so are answers."""

_SOMETHING = re.compile(r"\w")

Show = Callable[[str], None]
Write = Callable[[Any], None]
"""Sends an event to whoever streams the run."""


class WritingUpdate(TypedDict):
    """The principal's text and self-evaluation, and the fragments that it read, those it cites first, as it does."""

    draft: NotRequired[str]
    draft_chunk_ids: NotRequired[list[int]]
    used_chunk_ids: NotRequired[list[int]]
    dropped_chunk_ids: NotRequired[list[int]]
    needs: NotRequired[list[Need]]
    context: NotRequired[list[Candidate]]
    outcome: NotRequired[AnswerOutcome]
    abstained: NotRequired[bool]
    rewritten: NotRequired[bool]
    warnings: NotRequired[list[str]]
    spoken: NotRequired[str]
    cost: NotRequired[Cost]


@dataclass(frozen=True)
class Written:
    """An answer: its text, numbered as it is read, the old numbers of what it cites first, and its self-evaluation.

    ``replies`` are those that it took.
    """

    text: str
    cited: Sequence[int]
    evaluation: Reply
    cut: bool
    cost: Cost
    replies: int


def prompt_messages(state: RagState, *, grounded: bool, brief: bool) -> list[Message]:
    """Return history, fragments and, last, days and question: what changes most comes last, for prompt caching.

    The history has no markers: those of earlier answers number other fragments. ``brief`` fragments are for a chat
    model of a provider.
    """
    history: list[Message] = [
        {"role": message["role"], "content": neutralise(keep_markers(message["content"], ())[0])}
        for message in state["conversation"][-HISTORY_MESSAGES:]
    ]
    question = neutralise(state["contextualized_question"])
    content = write_prompt(
        state["context"],
        question,
        days=days_of(state),
        markers=grounded,
        last=state["refetched"],
        not_found=[name_of(need) for need in state.get("unmet_needs", []) if not need.get("by_check")],
        brief=brief,
        unsupported=[finding["where"] for finding in state.get("findings", []) if calls_for_second_answer(finding)],
    )
    return [*history, {"role": "user", "content": content}]


async def write_answer(
    principal: ChatModel,
    system: str,
    messages: Sequence[Message],
    state: RagState,
    *,
    grounded: bool,
    supersedes: str,
    write: Write,
    language: Language,
    replies: int,
) -> Written:
    """Stream an answer on the state's context; one that has none is asked for again, up to so many ``replies``.

    ``supersedes`` is why an answer that is shown already no longer holds, empty where none is. It is said when there is
    something to take its place: until then, the old one stands.

    Raises:
        EmptyReply: there was nothing in any reply that could be an answer.
        ModelError: the provider failed for good. The requests of all replies are in its ``attempts``.
    """
    fragments = len(by_mark(state["context"]))
    valid = range(1, fragments + 1) if grounded else range(0)
    links = partial(LinkFilter, source_addresses(state["context"]), language.translate("rag_link_left_out"))
    stream = _Stream(valid, links, write, supersedes)
    cost, cut = NO_COST, False

    def restart() -> None:
        stream.begin_again(language.translate("rag_answer_interrupted"))

    for asked in range(1, replies + 1):
        stream.begin_again(language.translate("rag_answer_interrupted"))
        try:
            completion = await principal.stream(
                system, messages, on_text=stream.feed, on_restart=restart, deadline=state.get("deadline")
            )
        except ModelError as error:
            error.attempts += cost["requests"]
            if isinstance(error, ContentFiltered):
                stream.begin_again(language.translate("rag_answer_withdrawn"))
            if asked > 1 and isinstance(error, ModelTimeout):
                raise nothing_written(principal.name, error.attempts, cut=cut) from error
            raise
        splitter, renumberer, text = stream.close()
        cost, cut = _sum(cost, cost_of(completion)), completion.cut
        if _says_something(text):
            evaluation = read_self_evaluation(splitter, fragments, marked=grounded)
            return Written(text, renumberer.cited, evaluation, cut, cost, asked)
    raise nothing_written(principal.name, cost["requests"], cut=cut)


def nothing_written(name: str, requests: int, *, cut: bool) -> EmptyReply:
    """Return the error for a principal without an answer; ``cut``: it reached its limit before it began one."""
    why = translate("question.cut_before") if cut else ""
    error = EmptyReply(translate("question.nothing_written", name=name, why=why))
    error.attempts = requests
    return error


def written_update(state: RagState, written: Written, language: Language) -> WritingUpdate:
    """Return what an answer leaves in the state; the context is numbered as the answer is read."""
    groups, evaluation = by_mark(state["context"]), written.evaluation
    cut = language.translate("rag_answer_cut")
    # What it says that it lacks is told to whoever asked.
    needs = texts_without_foreign_links(
        _needs_of(written, state)[:MAX_NEEDS], (), language.translate("rag_link_left_out")
    )
    order = [*written.cited, *(number for number in range(1, len(groups) + 1) if number not in written.cited)]
    return {
        "draft": written.text,
        "draft_chunk_ids": _ids(groups, order),
        "context": [candidate for number in order for candidate in groups[number - 1]],
        "used_chunk_ids": _ids(groups, evaluation.used),
        "dropped_chunk_ids": _ids(groups, evaluation.dropped),
        "needs": needs,
        "rewritten": state["refetched"] or written.replies > 1,
        "warnings": [*_without(state["warnings"], cut), *([cut] if written.cut else [])],
        "cost": written.cost,
    }


def _needs_of(written: Written, state: RagState) -> list[Need]:
    """Return the needs of the self-evaluation, then the provisions that the text of the answer says are missing.

    A provision that the model has read whole is not missing.
    """
    as_of, today = days_of(state)
    said = written.evaluation.needs
    asked = {(one.law_id, one.provision_key) for need in said for one in provisions_needed(need, "", today, as_of)}
    chunks = [candidate["chunk"] for candidate in state["context"]]
    read = Counter(map(provision_of, chunks))
    whole = {provision_of(chunk) for chunk in chunks if read[provision_of(chunk)] >= chunk["parts"]}
    return [*said, *needs_in_answer(written.text, as_of, asked | whole)]


def _ids(groups: Sequence[Sequence[Candidate]], numbers: Sequence[int]) -> list[int]:
    """Return the ids of all chunks of some markers, in the order of the markers."""
    return [candidate["chunk"]["id"] for number in numbers for candidate in groups[number - 1]]


def _without(warnings: Sequence[str], gone: str) -> list[str]:
    """Return the warnings that still hold once another answer has taken the place of the one that was cut."""
    return [warning for warning in warnings if warning != gone]


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
