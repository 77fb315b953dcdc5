"""Schema and loader of the packaged corpus (documented in ``corpus/README.md``)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from articulado.legal.ids import BOE_ID
from articulado.values.errors import ConfigurationError

Text = Annotated[str, Field(min_length=1, pattern=r"^\S(.*\S)?$")]
Topic = Annotated[str, Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]
LawId = Annotated[str, Field(pattern=rf"^{BOE_ID}$")]
CardId = Annotated[str, Field(pattern=r"^[a-z_]+/[a-z0-9_]+$")]
Ref = Annotated[str, Field(pattern=rf"^{BOE_ID}#\S.*$")]
Url = Annotated[str, Field(pattern=r"^(https?://\S+)?$")]
Reason = Literal[
    "derogada",
    "agotada",
    "sin_contenido",
    "modifica_otra_norma",
    "deroga_otras_normas",
    "habilitacion",
    "titulo_competencial",
    "aprobacion",
]
"""Reason why a provision has no rules of its own (``corpus/README.md``)."""
UnanswerableKind = Literal["otra_rama", "otro_pais", "no_juridica", "no_en_ley", "indeterminada", "trampa"]
"""Other branch of law, other country, no legal matter, not in statutes, too vague, ambiguous word."""
Voice = Literal["relato", "jerga", "america", "empresa", "asesor", "examen", "breve"]
"""Narrator and style: story, slang, Latin American Spanish, company, adviser, student, brief."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Searchable(_Record):
    """Searched fields of a record with content."""

    title: Text
    questions: tuple[Text, ...]
    keywords: tuple[Text, ...]
    topics: tuple[Topic, ...] = Field(min_length=1)
    refs: tuple[Ref, ...]


class Wording(_Record):
    """Wording from which a record was written: ``articulado.legal.wordings.wording_hash``, and its first day."""

    content_hash: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    date: date


class ProvisionRecord(_Searchable):
    """A provision in plain language; ``status_note``: rules that differ from its text."""

    law_id: LawId
    provision: Text
    summary: Text
    points: tuple[Text, ...] = Field(min_length=1)
    status_note: Text | Literal[""] = ""
    written_against: Wording

    @property
    def lines(self) -> tuple[str, ...]:
        return (self.summary, *self.points)


class EmptyRecord(_Record):
    """A provision without rules of its own: reason, and where the rules are now."""

    law_id: LawId
    provision: Text
    title: str
    reason: Reason
    note: Text
    replaced_by: tuple[Ref, ...]
    written_against: Wording

    questions: ClassVar[tuple[str, ...]] = ()
    keywords: ClassVar[tuple[str, ...]] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        return (self.note,)

    @property
    def repealed(self) -> bool:
        return self.reason in ("derogada", "agotada")


class _Decision(_Searchable):
    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    number: Text
    date: date
    doctrine: Text
    status_note: str
    url: Url

    @property
    def lines(self) -> tuple[str, ...]:
        return (self.doctrine,)


class RulingRecord(_Decision):
    """A court's doctrine; ``ecli`` is empty if unknown."""

    court: Text
    case: Text
    ecli: Annotated[str, Field(pattern=r"^(ECLI:[A-Z]{2}:[A-Z]+:\d{4}:\w+)?$")]

    @property
    def author(self) -> str:
        return self.court

    @property
    def official_id(self) -> str:
        return self.ecli or self.id


class CriterionRecord(_Decision):
    """An administration's criterion."""

    body: Text

    @property
    def author(self) -> str:
        return self.body

    @property
    def official_id(self) -> str:
        return self.id


class Situation(_Record):
    """A question, and the provisions that a labour lawyer would open, the most direct first.

    ``near_misses``: seemingly fitting provisions. Questions of a named ``writer`` train the ranking, not the encoder.
    ``cards``: ids of answer cards that answer it, the best first; ``cards_beside``: partly; ``None``: not checked.
    """

    question: Text
    provisions: Annotated[tuple[Ref, ...], Field(min_length=1, max_length=6)]
    near_misses: Annotated[tuple[Ref, ...], Field(max_length=6)] = ()
    voice: Voice | None = None
    writer: str = ""
    cards: tuple[CardId, ...] | None = None
    cards_beside: tuple[CardId, ...] = ()


class Unanswerable(_Record):
    """A question that statutes do not answer: reason and topic."""

    question: Text
    kind: UnanswerableKind
    matter: Topic
    writer: str = ""


class FollowUp(_Record):
    """Two questions of one person; ``leans``: the ``next`` one depends on the ``first``.

    ``about_answer``: it only asks to explain, repeat or source the answer. ``asks_deadline``: it asks how long somebody
    has to act. ``between``: question on another subject in between. ``conversation``: its name, one side of a split.
    """

    first: Text
    next: Text
    leans: bool
    about_answer: bool = False
    asks_deadline: bool = False
    between: str = ""
    conversation: str = ""

    @property
    def group(self) -> str:
        return self.conversation or self.first


class CalculationQuestion(_Record):
    """A question for a calculation ``kind`` (or "none") with its ``inputs``; ``also``: further kinds."""

    kind: Text
    question: Text
    inputs: dict[str, Any] = {}
    also: tuple[str, ...] = ()


class GeneralMatter(_Record):
    """A matter of any help desk, as a help article, with people's inquiries."""

    matter: Topic
    desk: Text
    title: Text
    text: Text
    inquiries: tuple[Text, ...] = Field(min_length=1)


LawRecord = ProvisionRecord | EmptyRecord
Decision = RulingRecord | CriterionRecord
Record = LawRecord | Decision
_Schema = TypeVar("_Schema", bound=BaseModel)


@dataclass(frozen=True)
class Corpus:
    """All packaged records, in the order of laws and files; ``empty``: provisions without rules of their own."""

    provisions: tuple[ProvisionRecord, ...] = ()
    empty: tuple[EmptyRecord, ...] = ()
    rulings: tuple[RulingRecord, ...] = ()
    criteria: tuple[CriterionRecord, ...] = ()

    @property
    def law_records(self) -> tuple[LawRecord, ...]:
        return (*self.provisions, *self.empty)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        return (*self.rulings, *self.criteria)


@cache
def load_corpus() -> Corpus:
    return read_corpus(resources.files("corpus"))


@cache
def load_law(law_id: str) -> Corpus:
    folder, name = resources.files("corpus"), f"{law_id}.jsonl"
    provisions, empty = folder.joinpath("normativa", name), folder.joinpath("sin_contenido", name)
    return Corpus(
        provisions=tuple(_read_file(provisions, ProvisionRecord, "normativa")) if provisions.is_file() else (),
        empty=tuple(_read_file(empty, EmptyRecord, "sin_contenido")) if empty.is_file() else (),
    )


@cache
def load_decisions() -> tuple[Decision, ...]:
    folder = resources.files("corpus")
    return (
        *read_records(folder.joinpath("sentencias"), RulingRecord),
        *read_records(folder.joinpath("criterios_inss"), CriterionRecord),
    )


def read_corpus(folder: Traversable) -> Corpus:
    """Read the folders of a corpus; raise ``ConfigurationError`` for an invalid line."""
    return Corpus(
        provisions=tuple(read_records(folder.joinpath("normativa"), ProvisionRecord)),
        empty=tuple(read_records(folder.joinpath("sin_contenido"), EmptyRecord)),
        rulings=tuple(read_records(folder.joinpath("sentencias"), RulingRecord)),
        criteria=tuple(read_records(folder.joinpath("criterios_inss"), CriterionRecord)),
    )


def read_records(folder: Traversable, schema: type[_Schema]) -> Iterator[_Schema]:
    """Read the files of one folder in order of names; raise ``ConfigurationError`` for an invalid line."""
    if not folder.is_dir():
        raise ConfigurationError(f"Al corpus incluido le falta la carpeta {folder.name}. Vuelva a instalar articulado.")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".jsonl"):
            yield from _read_file(file, schema, folder.name)


def _read_file(file: Traversable, schema: type[_Schema], folder: str) -> Iterator[_Schema]:
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        try:
            record = schema.model_validate_json(line)
        except ValidationError as error:
            problem = error.errors()[0]
            field = ".".join(str(part) for part in problem["loc"])
            raise ConfigurationError(
                f"El corpus incluido no se puede leer: {folder}/{file.name}, línea {number}"
                f"{f', campo «{field}»' if field else ''}: {problem['msg']}. "
                "Corrija la línea según corpus/README.md o vuelva a instalar articulado."
            ) from error
        if isinstance(record, (ProvisionRecord, EmptyRecord)) and f"{record.law_id}.jsonl" != file.name:
            raise ConfigurationError(
                f"El corpus incluido no se puede leer: {folder}/{file.name}, línea {number}: "
                f"la norma {record.law_id} no es la del fichero. Mueva la línea al fichero de su norma."
            )
        yield record


@cache
def load_situations() -> tuple[Situation, ...]:
    return read_situations(resources.files("corpus"))


def read_situations(folder: Traversable) -> tuple[Situation, ...]:
    return tuple(read_records(folder.joinpath("situaciones"), Situation))


@cache
def load_unanswerable() -> tuple[Unanswerable, ...]:
    return tuple(read_records(resources.files("corpus").joinpath("sin_respuesta"), Unanswerable))


@cache
def load_follow_ups() -> tuple[FollowUp, ...]:
    return tuple(read_records(resources.files("corpus").joinpath("seguimientos"), FollowUp))


@cache
def load_calculation_questions() -> tuple[CalculationQuestion, ...]:
    return tuple(read_records(resources.files("corpus").joinpath("calculos"), CalculationQuestion))


@cache
def load_general_matters(language: str) -> tuple[GeneralMatter, ...]:
    folder = resources.files("corpus").joinpath("consultas_generales", language)
    return tuple(read_records(folder, GeneralMatter))
