"""The packaged corpus: the schema of its records (explained in ``corpus/README.md``) and their loader."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.errors import ConfigurationError

Text = Annotated[str, Field(min_length=1, pattern=r"^\S(.*\S)?$")]
Topic = Annotated[str, Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]
Ref = Annotated[str, Field(pattern=r"^BOE-A-\d{4}-\d+#\S.*$")]
Url = Annotated[str, Field(pattern=r"^(https?://\S+)?$")]


class _Findable(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Text
    questions: tuple[Text, ...]
    keywords: tuple[Text, ...]
    topics: tuple[Topic, ...] = Field(min_length=1)
    refs: tuple[Ref, ...]


class ProvisionRecord(_Findable):
    """A provision of a law in plain language."""

    law_id: Annotated[str, Field(pattern=r"^BOE-A-\d{4}-\d+$")]
    provision: Text
    summary: Text
    points: tuple[Text, ...] = Field(min_length=1)


class _Decision(_Findable):
    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    number: Text
    date: date
    doctrine: Text
    status_note: str
    url: Url


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


Decision = RulingRecord | CriterionRecord
Record = ProvisionRecord | Decision
_R = TypeVar("_R", ProvisionRecord, RulingRecord, CriterionRecord)


@dataclass(frozen=True)
class Corpus:
    """All packaged records: provisions by law and in the order of each law, the rest in the order of their files."""

    provisions: tuple[ProvisionRecord, ...]
    rulings: tuple[RulingRecord, ...]
    criteria: tuple[CriterionRecord, ...]

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


def read_corpus(folder: Traversable) -> Corpus:
    """Read and check a corpus folder: ``normativa``, ``sentencias`` and ``criterios_inss``.

    Raises:
        ConfigurationError: a line breaks the schema; the message names file, line and field.
    """
    return Corpus(
        provisions=tuple(_records(folder.joinpath("normativa"), ProvisionRecord)),
        rulings=tuple(_records(folder.joinpath("sentencias"), RulingRecord)),
        criteria=tuple(_records(folder.joinpath("criterios_inss"), CriterionRecord)),
    )


def _records(folder: Traversable, schema: type[_R]) -> Iterator[_R]:
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".jsonl"):
            continue
        for number, line in enumerate(file.read_bytes().splitlines(), start=1):
            try:
                record = schema.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(str(part) for part in first["loc"])
                raise ConfigurationError(
                    f"El corpus incluido no se puede leer: {folder.name}/{file.name}, línea {number}"
                    f"{f', campo «{where}»' if where else ''}: {first['msg']}. "
                    "Corrija la línea según corpus/README.md o vuelva a instalar articulado."
                ) from error
            if isinstance(record, ProvisionRecord) and f"{record.law_id}.jsonl" != file.name:
                raise ConfigurationError(
                    f"El corpus incluido no se puede leer: {folder.name}/{file.name}, línea {number}: "
                    f"la norma {record.law_id} no es la del fichero. Mueva la línea al fichero de su norma."
                )
            yield record
