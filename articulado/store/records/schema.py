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
"""Why a provision has no rules of its own (``corpus/README.md``)."""
UnanswerableKind = Literal["otra_rama", "otro_pais", "no_juridica", "no_en_ley", "indeterminada", "trampa"]
"""Another branch of law, another country's, no legal matter, what no statute says, too little said, a shared word."""
Voice = Literal["relato", "jerga", "america", "empresa", "asesor", "examen", "breve"]
"""Who asks, and how: a story, slang, Latin American Spanish, a company, an adviser, a student; in a few words."""


class _Searchable(BaseModel):
    """What every record with something to say is found by."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Text
    questions: tuple[Text, ...]
    keywords: tuple[Text, ...]
    topics: tuple[Topic, ...] = Field(min_length=1)
    refs: tuple[Ref, ...]


class Wording(BaseModel):
    """The wording of a provision that a record was written from.

    ``content_hash`` is its ``articulado.legal.wordings.wording_hash``, ``date`` the day from which the source says it
    is in force.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    content_hash: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    date: date


class ProvisionRecord(_Searchable):
    """A provision of a law in plain language; ``status_note`` tells what applies otherwise than its text says."""

    law_id: LawId
    provision: Text
    summary: Text
    points: tuple[Text, ...] = Field(min_length=1)
    status_note: Text | Literal[""] = ""
    written_against: Wording

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences that it says, in order."""
        return (self.summary, *self.points)


class EmptyRecord(BaseModel):
    """A provision without rules of its own: why, in a word and in a sentence, and where the rules are now."""

    model_config = ConfigDict(extra="forbid", frozen=True)

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
        """The sentences that it says, in order."""
        return (self.note,)

    @property
    def repealed(self) -> bool:
        """Whether it is law no longer."""
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
        """The sentences that it says, in order."""
        return (self.doctrine,)


class RulingRecord(_Decision):
    """What a court has held; ``ecli`` is empty where it is not known."""

    court: Text
    case: Text
    ecli: Annotated[str, Field(pattern=r"^(ECLI:[A-Z]{2}:[A-Z]+:\d{4}:\w+)?$")]

    @property
    def author(self) -> str:
        """Who decided."""
        return self.court

    @property
    def official_id(self) -> str:
        """The ECLI where it is known, else our own id."""
        return self.ecli or self.id


class CriterionRecord(_Decision):
    """How an administration applies the law."""

    body: Text

    @property
    def author(self) -> str:
        """Who decided."""
        return self.body

    @property
    def official_id(self) -> str:
        """Our own id: criteria have no official one."""
        return self.id


class Situation(BaseModel):
    """A question, and the provisions that a labour lawyer would open to answer it, the most direct first.

    ``near_misses`` are provisions that look as if they answered, and do not. The questions of a named ``writer``, who
    has not seen the others, train the ranking, not the encoder. ``cards`` are the ids of the answer cards that answer
    it, the best first, ``cards_beside`` of those that answer a part; ``None`` where nobody has looked.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: Text
    provisions: Annotated[tuple[Ref, ...], Field(min_length=1, max_length=6)]
    near_misses: Annotated[tuple[Ref, ...], Field(max_length=6)] = ()
    voice: Voice | None = None
    writer: str = ""
    cards: tuple[CardId, ...] | None = None
    cards_beside: tuple[CardId, ...] = ()


class Unanswerable(BaseModel):
    """A question that the statutes do not answer: the reason and the topic."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: Text
    kind: UnanswerableKind
    matter: Topic
    writer: str = ""


class FollowUp(BaseModel):
    """Two questions of one person; ``leans`` tells that the ``next`` cannot be understood without the ``first``.

    ``about_answer`` tells that it asks to explain, repeat or source the answer and asks nothing new; ``between`` is a
    question on another subject that was asked between the two; ``conversation`` names the conversation of both.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: Text
    next: Text
    leans: bool
    about_answer: bool = False
    between: str = ""
    conversation: str = ""

    @property
    def group(self) -> str:
        """Name of what must be on one side of a split."""
        return self.conversation or self.first


class CalculationQuestion(BaseModel):
    """A question that asks for a calculation of a ``kind``, or for "none", with the ``inputs`` that it gives.

    ``also`` are further kinds that it asks for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Text
    question: Text
    inputs: dict[str, Any] = {}
    also: tuple[str, ...] = ()


class GeneralMatter(BaseModel):
    """What people ask any desk at all: a ``title`` and a ``text`` as a help article has them, and how people ask."""

    model_config = ConfigDict(extra="forbid", frozen=True)

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
    """All packaged records: provisions by law and in the order of each law, the rest in the order of their files.

    ``empty`` are the provisions without rules of their own.
    """

    provisions: tuple[ProvisionRecord, ...] = ()
    empty: tuple[EmptyRecord, ...] = ()
    rulings: tuple[RulingRecord, ...] = ()
    criteria: tuple[CriterionRecord, ...] = ()

    @property
    def law_records(self) -> tuple[LawRecord, ...]:
        """Provisions, then those without rules."""
        return (*self.provisions, *self.empty)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Rulings, then criteria."""
        return (*self.rulings, *self.criteria)


@cache
def load_corpus() -> Corpus:
    """Read and check the corpus of the package.

    Raises:
        ConfigurationError: a line breaks the schema; the message names file, line and field.
    """
    return read_corpus(resources.files("corpus"))


@cache
def load_law(law_id: str) -> Corpus:
    """Read and check what the package has of one law; without a file of it, that is nothing.

    Raises:
        ConfigurationError: a line breaks the schema; the message names file, line and field.
    """
    folder, name = resources.files("corpus"), f"{law_id}.jsonl"
    provisions, empty = folder.joinpath("normativa", name), folder.joinpath("sin_contenido", name)
    return Corpus(
        provisions=tuple(_read_file(provisions, ProvisionRecord, "normativa")) if provisions.is_file() else (),
        empty=tuple(_read_file(empty, EmptyRecord, "sin_contenido")) if empty.is_file() else (),
    )


@cache
def load_decisions() -> tuple[Decision, ...]:
    """Read and check the rulings and criteria of the package.

    Raises:
        ConfigurationError: a line breaks the schema; the message names file, line and field.
    """
    folder = resources.files("corpus")
    return (
        *read_records(folder.joinpath("sentencias"), RulingRecord),
        *read_records(folder.joinpath("criterios_inss"), CriterionRecord),
    )


def read_corpus(folder: Traversable) -> Corpus:
    """Read and check a corpus folder: ``normativa``, ``sin_contenido``, ``sentencias`` and ``criterios_inss``.

    Raises:
        ConfigurationError: a line breaks the schema; the message names file, line and field.
    """
    return Corpus(
        provisions=tuple(read_records(folder.joinpath("normativa"), ProvisionRecord)),
        empty=tuple(read_records(folder.joinpath("sin_contenido"), EmptyRecord)),
        rulings=tuple(read_records(folder.joinpath("sentencias"), RulingRecord)),
        criteria=tuple(read_records(folder.joinpath("criterios_inss"), CriterionRecord)),
    )


def read_records(folder: Traversable, schema: type[_Schema]) -> Iterator[_Schema]:
    """Read and check the files of one folder of the corpus, in the order of their names.

    Raises:
        ConfigurationError: the folder is missing, or a line breaks the schema; the message names file, line and field.
    """
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
    """Read and check the situations of the package.

    Raises:
        ConfigurationError: a line breaks the schema; the message names file, line and field.
    """
    return read_situations(resources.files("corpus"))


def read_situations(folder: Traversable) -> tuple[Situation, ...]:
    """Read and check ``situaciones`` in a corpus folder; raise what ``load_situations`` raises."""
    return tuple(read_records(folder.joinpath("situaciones"), Situation))


@cache
def load_unanswerable() -> tuple[Unanswerable, ...]:
    """Read and check the questions without an answer of the package; raise what ``load_situations`` raises."""
    return tuple(read_records(resources.files("corpus").joinpath("sin_respuesta"), Unanswerable))


@cache
def load_follow_ups() -> tuple[FollowUp, ...]:
    """Read and check the follow-ups of the package; raise what ``load_situations`` raises."""
    return tuple(read_records(resources.files("corpus").joinpath("seguimientos"), FollowUp))


@cache
def load_calculation_questions() -> tuple[CalculationQuestion, ...]:
    """Read and check the questions that ask for calculations; raise what ``load_situations`` raises."""
    return tuple(read_records(resources.files("corpus").joinpath("calculos"), CalculationQuestion))


@cache
def load_general_matters(language: str) -> tuple[GeneralMatter, ...]:
    """Read and check the general matters in a language ("es", "en"); raise what ``load_situations`` raises."""
    folder = resources.files("corpus").joinpath("consultas_generales", language)
    return tuple(read_records(folder, GeneralMatter))
