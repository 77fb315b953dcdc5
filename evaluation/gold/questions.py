"""Gold sets of questions in JSON Lines, and names of provisions.

``relevant`` is {"<law id>#<label>": grade}, with grade 2 for a provision that answers and 1 for one that helps; it is
empty for a negative, a question without an answer in the law.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

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

    id: str


R = TypeVar("R", bound=Identified)


def rows_of(path: Path, needed: str, parse: Callable[[Mapping[str, Any], str], R], noun: str) -> list[R]:
    """Parse the lines of a file; refuse repeated ids and an empty file. ``noun`` (feminine) names a row in messages."""
    rows: dict[str, tuple[int, R]] = {}
    for number, where, value in json_lines(path, needed):
        row = parse(value, where)
        if row.id in rows:
            raise InvalidInput(
                f"{where}: el identificador «{row.id}» ya está en la línea {rows[row.id][0]}. "
                f"Dé a cada {noun} uno propio."
            )
        rows[row.id] = number, row
    if not rows:
        raise InvalidInput(f"{path} no tiene ninguna {noun}. Escriba una por línea, cada una como un objeto JSON.")
    return [row for _, row in rows.values()]


DATASETS = Path(__file__).parents[1] / "datasets"
MAX_GRADE = 3
NEEDED = "Cada línea debe ser {…} con id, question y relevant."


@dataclass(frozen=True)
class Question:
    """One question of a gold set; ``relevant`` gives the grade of each right provision."""

    id: str
    question: str
    relevant: Mapping[Provision, int]
    category: str = ""
    topic: str = ""
    voice: str = ""
    answer_facts: tuple[str, ...] = ()

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


def as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value or []


def one_word(value: str) -> str:
    if value.split() != [value]:
        raise ValueError("blank")
    return value


def _graded_provisions(relevant: dict[str, int]) -> dict[Provision, int]:
    grades: dict[Provision, int] = {}
    for text, grade in relevant.items():
        provision = parse_provision(text)
        if provision is None:
            raise ValueError(text)
        if grade:
            grades[provision] = max(grade, grades.get(provision, 0))
    return grades


Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
Grades = Annotated[
    dict[str, Annotated[int, Field(strict=True, ge=0, le=MAX_GRADE)]], AfterValidator(_graded_provisions)
]


class _Row(BaseModel):
    model_config = ConfigDict(extra="allow", str_strip_whitespace=True, coerce_numbers_to_str=True)

    id: Annotated[str, AfterValidator(one_word)]
    question: Annotated[str, Field(min_length=1)]
    relevant: Grades
    category: Text = ""
    topic: Text = ""
    voice: Text = ""
    answer_facts: Annotated[list[str], BeforeValidator(as_list)] = []


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
    rows = rows_of(path, NEEDED, _row, "pregunta")
    ignored = dict.fromkeys(key for row in rows for key in row.model_extra or {})
    return GoldSet(path.stem, path, tuple(map(_question, rows)), tuple(ignored))


def _question(row: _Row) -> Question:
    values = {name: getattr(row, name) for name in _Row.model_fields}
    return Question(**values | {"answer_facts": tuple(row.answer_facts)})


def _row(value: Mapping[str, Any], where: str) -> _Row:
    try:
        return _Row.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0])
        if first["type"] == "missing":
            raise InvalidInput(f"{where}: falta «{field}». Son obligatorios id, question y relevant.") from error
        expected = EXPECTED.get(field, "debe ser un texto")
        raise InvalidInput(f"{where}: «{field}» {expected}.") from error
