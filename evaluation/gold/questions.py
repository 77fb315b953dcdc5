"""Gold sets of questions in JSON Lines, and names of provisions.

``relevant`` is {"<law id>#<label>": grade}, with grade 2 for a provision that answers and 1 for one that helps; it is
empty for a negative, a question without an answer in the law.
"""

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
)

from articulado.language.folding import fold
from articulado.language.translation import reason
from articulado.legal.labels import provision_key
from articulado.values.errors import InvalidInput

Provision = tuple[str, str]  # law id and label as written: ("BOE-A-2015-11430", "Artículo 38")

Key = tuple[str, str]  # a law's identifier and the common key of all spellings of a label

SEPARATOR = "#"


def make_provision(law_id: str, label: str) -> Provision:
    """Name a provision: every run of white space of the label (a no-break space, too) becomes one blank."""
    return law_id.strip(), " ".join(unicodedata.normalize("NFC", label).split())


def key_of(provision: Provision) -> Key:
    """Return the key shared by all spellings of a provision ("Art. 38", "Artículo 38"); fold a label without a key."""
    law_id, label = provision
    return law_id, provision_key(label) or fold(label)


def format_provision(provision: Provision) -> str:
    """Return a provision as gold sets write it: "BOE-A-2015-11430#Artículo 38"."""
    return SEPARATOR.join(provision)


def formatted(provisions: Iterable[Provision]) -> list[str]:
    return [format_provision(provision) for provision in provisions]


def graded(relevant: Mapping[Provision, int]) -> dict[str, int]:
    return {format_provision(provision): grade for provision, grade in relevant.items()}


def parse_provision(text: str) -> Provision | None:
    """Parse the format of ``format_provision``; return ``None`` without a law, a label or the separator."""
    law_id, _, label = text.partition(SEPARATOR)
    provision = make_provision(law_id, label)
    return provision if all(provision) and len(law_id.split()) == 1 else None


def json_lines(path: Path, needed: str) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Yield line number, location for messages and object of each line; ``needed`` describes a valid line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} no está en UTF-8. Conviértalo, por ejemplo con iconv -t UTF-8.") from error
    except OSError as error:
        raise InvalidInput(f"No se puede leer {path}: {reason(error)}. Compruebe la ruta.") from error
    # Not splitlines: a JSON text may hold the separators of lines and paragraphs as they are.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, línea {number}"
            yield number, where, _object(line, where, needed)


def _object(line: str, where: str, needed: str) -> Mapping[str, Any]:
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        column = f" (columna {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInput(f"{where}: no es JSON válido{column}. Escriba un objeto JSON por línea.") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"{where}: no es un objeto JSON. {needed}")
    return value


class Identified(Protocol):
    """A row with an identifier."""

    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=Identified)
TURNS = "turns"


def rows_of(
    path: Path, adapter: TypeAdapter[R], noun: str, obligatory: str, expected: Mapping[str, str]
) -> list[tuple[Mapping[str, Any], R]]:
    """Return the objects of a file and their values; refuse repeated ids and an empty file.

    Messages name a row by its ``noun`` (feminine), its ``obligatory`` fields and what is ``expected`` of a field.
    """
    rows: dict[str, tuple[int, Mapping[str, Any], R]] = {}
    for number, where, value in json_lines(path, f"Cada línea debe ser {{…}} con {obligatory}."):
        try:
            row = adapter.validate_python(value)
        except ValidationError as error:
            raise InvalidInput(_fault(error, where, obligatory, expected)) from error
        if row.id in rows:
            raise InvalidInput(
                f"{where}: el identificador «{row.id}» ya está en la línea {rows[row.id][0]}. "
                f"Dé a cada {noun} uno propio."
            )
        rows[row.id] = number, value, row
    if not rows:
        raise InvalidInput(f"{path} no tiene ninguna {noun}. Escriba una por línea, cada una como un objeto JSON.")
    return [(value, row) for _, value, row in rows.values()]


def _fault(error: ValidationError, where: str, obligatory: str, expected: Mapping[str, str]) -> str:
    first = error.errors()[0]
    names = [part for part in first["loc"] if isinstance(part, str)]
    if names[:1] == [TURNS] and names[1:]:
        where, names, obligatory = f"{where}, turno {int(first['loc'][1]) + 1}", names[1:], "question y relevant"
    if not names:
        return f"{where}: {expected['']}"
    if first["type"] == "missing":
        return f"{where}: falta «{names[0]}». Son obligatorios {obligatory}."
    return f"{where}: «{names[0]}» {expected.get(names[0], 'debe ser un texto')}."


DATASETS = Path(__file__).parents[1] / "datasets"
MAX_GRADE = 3


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value or []


def _one_word(value: str) -> str:
    if value.split() != [value]:
        raise ValueError("blank")
    return value


_GRADES = TypeAdapter(dict[str, Annotated[int, Field(strict=True, ge=0, le=MAX_GRADE)]])


def _graded_provisions(relevant: object) -> dict[Provision, int]:
    grades: dict[Provision, int] = {}
    for text, grade in _GRADES.validate_python(relevant).items():
        provision = parse_provision(text)
        if provision is None:
            raise ValueError(text)
        if grade:
            grades[provision] = max(grade, grades.get(provision, 0))
    return grades


# Types of the fields of a row, which read the values of a file.
CONFIG = ConfigDict(str_strip_whitespace=True, coerce_numbers_to_str=True)
Id = Annotated[str, AfterValidator(_one_word)]
Filled = Annotated[str, Field(min_length=1)]
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_as_list)]
Grades = Annotated[Mapping[Provision, int], PlainValidator(_graded_provisions)]


@dataclass(frozen=True)
class Question:
    """One question of a gold set; ``relevant`` gives the grade of each right provision."""

    __pydantic_config__: ClassVar[ConfigDict] = CONFIG

    id: Id
    question: Filled
    relevant: Grades
    category: Text = ""
    topic: Text = ""
    voice: Text = ""
    answer_facts: Texts = ()

    @property
    def is_negative(self) -> bool:
        return not self.relevant


@dataclass(frozen=True)
class GoldSet:
    """Questions of one file, in order; ``ignored`` are unknown keys of its lines."""

    name: str
    path: Path
    questions: tuple[Question, ...]
    ignored: tuple[str, ...] = ()

    @property
    def provisions(self) -> list[Provision]:
        return [provision for question in self.questions for provision in question.relevant]


EXPECTED = {
    "id": "debe ser un identificador sin espacios",
    "question": "debe ser el texto de la pregunta",
    "relevant": 'debe ser un objeto como {"BOE-A-2015-11430#Artículo 38": 2}, con grados 1 o 2, o {} si la pregunta no '
    "tiene respuesta en la norma",
    "answer_facts": "debe ser una lista de textos",
}


def read_gold(path: Path) -> list[Question]:
    return list(read_gold_set(path).questions)


def read_gold_set(path: Path) -> GoldSet:
    """Read a gold set; errors name the line."""
    rows = rows_of(path, TypeAdapter(Question), "pregunta", "id, question y relevant", EXPECTED)
    ignored = dict.fromkeys(key for value, _ in rows for key in value if key not in Question.__dataclass_fields__)
    return GoldSet(path.stem, path, tuple(question for _, question in rows), tuple(ignored))
