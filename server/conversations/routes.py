"""Conversations over HTTP: hold one for a run, and routes that read, export, share and delete them."""

import asyncio
import io
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Path, Query, Response
from typing_extensions import TypedDict

from articulado.answering.footnotes import by_source, escaped, name_of, remarks_on, web_address
from articulado.calculations.written import Worked
from articulado.config.extras import importing
from articulado.language.formats import long_day
from articulado.language.languages import Language
from articulado.language.languages import language as language_of
from articulado.language.translation import translate
from articulado.values.answers import Citation, Message
from articulado.values.errors import ConversationBusy, InvalidInput
from articulado.verification.claims import side_by_side
from server.conversations.checkpoint_trimming import LeanSaver
from server.conversations.sharing import Share
from server.conversations.store import Conversation, Conversations, KeptTurn, check_name
from server.operations.requests import current_caller

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph


Format = Literal["markdown", "docx"]
MEDIA_TYPES: dict[Format, str] = {
    "markdown": "text/markdown; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
ENDINGS: dict[Format, str] = {"markdown": "md", "docx": "docx"}

_Kind = Literal["question", "text", "item", "heading", "source", "note", "table"]
_CONTROL = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF])
_ITEM = re.compile(r"\s*[-*•] +")


HEADINGS = ("Paso", "Operación", "Artículo")  # headings of the table of steps, Spanish in every language


class _Block(NamedTuple):
    """Paragraph or table of the document; ``url`` is the link of a source, the first of ``rows`` are the headings."""

    kind: _Kind
    text: str
    url: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


def export(conversation: Conversation, form: Format, title: str, language: Language, *, law: bool) -> bytes:
    """Return a conversation as a file; ``law``: its notice speaks of legal advice."""
    blocks = [
        *_blocks(conversation, language),
        _Block("note", language.translate("view_notice_law" if law else "view_notice")),
    ]
    title = title.translate(_CONTROL)
    return _docx(title, blocks) if form == "docx" else _markdown(title, blocks).encode()


def _blocks(conversation: Conversation, language: Language) -> Iterator[_Block]:
    for turn in conversation.turns:
        yield _Block("question", _clean(turn["question"]))
        for line in _clean(turn["answer"]).splitlines():
            if line.strip():
                yield (
                    _Block("item", _ITEM.sub("", line, count=1)) if _ITEM.match(line) else _Block("text", line.strip())
                )
        for worked in turn["calculations"]:
            yield from _calculation(worked)
        if turn["citations"]:
            yield _Block("heading", language.translate("view_sources"))
        for marks, citation in by_source(turn["citations"]):
            yield _Block("source", _clean(_name(marks, citation, language)), web_address(citation["url"]))
        for finding in turn["findings"]:
            beside = side_by_side(finding, language)
            where = "" if beside else f"«{' '.join(finding['where'].split())}»: "
            attention = language.translate("view_attention", text=f"{where}{finding['message']}")
            yield from (_Block("note", _clean(line)) for line in (attention, *beside))
        for warning in (*turn["precedence"], *turn["warnings"]):
            yield _Block("note", _clean(language.translate("view_warning", text=warning)))
        if said := _day(turn, language):
            yield _Block("note", said)


def export_calculation(worked: Worked, language: Language) -> bytes:
    blocks = [*_calculation(worked), _Block("note", language.translate("view_notice_law"))]
    return _docx(worked["title"].translate(_CONTROL), blocks)


def _calculation(worked: Worked) -> Iterator[_Block]:
    if worked["title"]:
        yield _Block("heading", worked["title"])
    for line in filter(None, (worked["text"], worked["reason"], worked["understood"])):
        yield _Block("text", _clean(line))
    if worked["steps"]:
        cited = {each["provision"]: each["cited"] for each in worked["provisions"]}
        rows = [(_clean(step["text"]), _clean(step["formula"]), cited[step["provision"]]) for step in worked["steps"]]
        yield _Block("table", "", rows=(HEADINGS, *rows))
    for wanted in worked["missing"]:
        yield _Block("item", f"{wanted['question']} {wanted['why']}")
    for note in worked["notes"]:
        yield _Block("item", _clean(note))
    for provision in worked["provisions"]:
        yield _Block("source", f"{provision['law']}, {provision['label']}", web_address(provision["url"]))


def _name(marks: str, citation: Citation, language: Language) -> str:
    return " ".join(filter(None, (marks, name_of(citation, language), *remarks_on(citation, language))))


def _day(turn: KeptTurn, language: Language) -> str:
    day = turn["freshness"]["index_day"] if turn["freshness"] else None
    if day is None:
        return ""
    return language.translate("view_index_day", day=long_day(day) if language.code == "es" else day)


def _clean(text: str) -> str:
    return text.translate(_CONTROL)


def _markdown(title: str, blocks: list[_Block]) -> str:
    lines = [f"# {escaped(title)}"]
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block.kind == "table":
            head, *rows = [f"| {' | '.join(map(_cell, row))} |" for row in block.rows]
            lines += [head, f"|{' --- |' * len(block.rows[0])}", *rows, ""]
            continue
        text = escaped(block.text)
        if block.url:
            text += f" <{block.url}>"
        before = {"question": "## ", "item": "- ", "heading": "### ", "source": "- ", "note": "> "}.get(block.kind, "")
        in_list = following is not None and following.kind == block.kind and block.kind in ("item", "source")
        lines.append(f"{before}{' '.join(text.split())}" + ("" if in_list else "\n"))
    return "\n".join([lines[0], "", *lines[1:]])


def _cell(text: str) -> str:
    return " ".join(escaped(text).split())


def _docx(title: str, blocks: list[_Block]) -> bytes:
    with importing("documents"):
        import docx

    document = docx.Document()
    document.core_properties.title = title[:255]
    document.core_properties.author = "articulado"
    document.add_heading(title, 0)
    styles = {"item": "List Bullet", "source": "List Bullet", "note": "Intense Quote"}
    for block in blocks:
        if block.kind in ("question", "heading"):
            document.add_heading(block.text, 1 if block.kind == "question" else 2)
            continue
        if block.kind == "table":
            _table(document, block.rows)
            continue
        paragraph = document.add_paragraph(block.text, style=styles.get(block.kind))
        if block.url:
            paragraph.add_run(" ")
            _link(paragraph, block.url)
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def _table(document: Any, rows: tuple[tuple[str, ...], ...]) -> None:
    table = document.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_paragraph()


def _link(paragraph: "Paragraph", url: str) -> None:
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    link: Any = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(url, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run = paragraph.add_run(url)
    run.font.underline = True
    link.append(run._r)
    paragraph._p.append(link)


THREAD = "thread_id"  # key of the input that names the conversation of a run
KEEP_TURNS = "keep_turns"  # key of the input with the number of turns to keep; the run replaces the later ones
_DAY = 86_400


class Threads:
    """Conversations of a server, each readable only by its caller; ``kept`` is ``None`` unless the server runs."""

    def __init__(self) -> None:
        self.kept: Conversations | None = None
        self._busy: set[str] = set()

    @asynccontextmanager
    async def held(self, thread_id: str, keep_turns: int | None = None) -> AsyncIterator[tuple[LeanSaver, str]]:
        """Lock a conversation for a run that follows ``keep_turns`` turns; yield its checkpointer and its stored id."""
        kept, name = self.kept_as(thread_id)
        if name in self._busy:
            raise ConversationBusy(translate("conversations.busy", thread=thread_id))
        self._busy.add(name)
        try:
            yield kept.saver if keep_turns is None else await kept.saver.after(name, keep_turns), name
        finally:
            self._busy.discard(name)

    def kept_as(self, thread_id: str) -> tuple[Conversations, str]:
        """Return the store of a conversation and its stored id, "caller/thread_id"."""
        check_name(thread_id)
        if self.kept is None:
            raise InvalidInput(translate("conversations.not_kept"))
        return self.kept, f"{current_caller()}/{thread_id}"

    async def forget_daily(self, days: float) -> None:
        while self.kept is not None:
            await self.kept.forget(days)
            await asyncio.sleep(_DAY)


class ReadConversation(TypedDict):
    """A conversation: its messages, its turns with all that was shown, the last citations, the last moment (UTC)."""

    thread_id: str
    messages: list[Message]
    turns: list[KeptTurn]
    citations: list[Citation]
    last: str


class SharedConversation(Share):
    """The turns behind a link, as they were when the link was made."""

    content: list[KeptTurn]


class Shares(TypedDict):
    """The links to a conversation."""

    shares: list[Share]


def conversation_routes(threads: Threads, title: str, language: str, *, law: bool) -> APIRouter:
    """Return the routes that read, export, share and delete the caller's conversations."""
    router = APIRouter(tags=["conversations"])
    Thread = Annotated[str, Path(alias=THREAD)]  # noqa: N806 - a type
    Token = Annotated[str, Path(max_length=64)]  # noqa: N806 - a type

    @router.get("/conversations/{thread_id}")
    async def read(thread_id: Thread) -> ReadConversation:
        """Return a conversation, turn by turn."""
        kept, name = threads.kept_as(thread_id)
        found = await kept.read(name)
        return {
            "thread_id": thread_id,
            "messages": list(found.messages),
            "turns": list(found.turns),
            "citations": found.turns[-1]["citations"] if found.turns else [],
            "last": found.last.isoformat(),
        }

    @router.get("/conversations/{thread_id}/export", response_class=Response)
    async def exported(thread_id: Thread, form: Annotated[Format, Query(alias="format")] = "markdown") -> Response:
        """Return a conversation as a document, each answer with its sources."""
        kept, name = threads.kept_as(thread_id)
        found = await kept.read(name)
        content = await asyncio.to_thread(export, found, form, title, language_of(language), law=law)
        headers = {"content-disposition": f'attachment; filename="articulado.{ENDINGS[form]}"'}
        return Response(content, media_type=MEDIA_TYPES[form], headers=headers)

    @router.delete("/conversations/{thread_id}", status_code=204)
    async def delete(thread_id: Thread) -> Response:
        """Delete a conversation, and all that is kept about it."""
        kept, name = threads.kept_as(thread_id)
        await kept.delete(name)
        return Response(status_code=204)

    @router.post("/conversations/{thread_id}/shares", status_code=201)
    async def share(
        thread_id: Thread,
        turn: Annotated[int | None, Query(ge=1, description="Solo este turno, contado desde 1")] = None,
    ) -> Share:
        """Make a link to a conversation as it stands, or to one of its turns, for whoever may use this server."""
        kept, name = threads.kept_as(thread_id)
        turns = (await kept.read(name)).turns
        if not turns or (turn or 1) > len(turns):
            raise InvalidInput(translate("conversations.nothing_to_share", turn=turn or 1, has=len(turns)))
        return await kept.shared.put(name, turns[turn - 1 : turn] if turn else turns)

    @router.get("/conversations/{thread_id}/shares")
    async def shares(thread_id: Thread) -> Shares:
        """Return the links to a conversation."""
        kept, name = threads.kept_as(thread_id)
        return {"shares": await kept.shared.of(name)}

    @router.delete("/conversations/{thread_id}/shares/{token}", status_code=204)
    async def withdraw(thread_id: Thread, token: Token) -> Response:
        """Withdraw a link to a conversation."""
        kept, name = threads.kept_as(thread_id)
        await kept.shared.withdraw(name, token)
        return Response(status_code=204)

    @router.get("/shared/{token}")
    async def shared(token: Token) -> SharedConversation:
        """Return the turns behind a link, to any key of this server."""
        kept, _ = threads.kept_as("-")
        found, turns = await kept.shared.read(token)
        return {**found, "content": turns}

    return router


async def stopped(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
