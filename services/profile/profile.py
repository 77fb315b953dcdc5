"""Knowledge-base profiles: what makes the graphs independent of one field of knowledge (data in ``profiles/``)."""

import tomllib
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from language.folding import letters_and_digits
from legal.signals import SignalWeights
from services.profile.case import CaseProfile
from services.profile.problems import problem_of
from services.profile.sections import (
    TOPIC,
    Collection,
    Features,
    FilterField,
    Knowledge,
    Models,
    Name,
    Rank,
    ReadAsSignals,
    Section,
    Signals,
)
from state.chunks import LOWEST_RANK
from state.errors import ConfigurationError

SUFFIX = ".toml"
DEFAULT_PROFILE = "laboral"


class Profile(Section):
    """One knowledge base. ``relevance_floor`` in [0, 1] is compared with the best relevance.

    ``signals`` are the weights of the legal signals (``legal.signals.final_score``), ``ranks`` the ranks of documents
    by kind (1 is the highest, 5 is what has none), ``default_law`` the law that an article without a law is looked up
    in. ``folder`` is where its file is: relative paths begin there, and ``<name>/`` beside it holds its prompts and
    what its calibration found.
    """

    name: Name
    title: str
    language: Literal["es", "en"]
    folder: Path
    default_law: str = ""
    relevance_floor: float = Field(default=0.35, ge=0, le=1)
    features: Features = Features()
    models: Models = Models()
    signals: Annotated[SignalWeights, ReadAsSignals()] = SignalWeights(**Signals().model_dump())
    ranks: dict[str, Rank] = Field(default_factory=dict)
    collections: tuple[Collection, ...] = Field(min_length=1)
    filter_fields: tuple[FilterField, ...] = ()
    knowledge: Knowledge | None = None
    case: CaseProfile = CaseProfile()

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> "Profile":
        if problem := next(contradictions(self), ""):
            raise ValueError(problem)
        return self

    def weight(self, collection: str) -> float:
        """Return the weight of a collection (1.0 for one that the profile does not name)."""
        return next((c.weight for c in self.collections if c.name == collection), 1.0)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all collections, in the order of the file."""
        return tuple(collection.name for collection in self.collections)

    @property
    def for_questions(self) -> tuple[str, ...]:
        """Names of the collections in which free questions are searched."""
        return tuple(collection.name for collection in self.collections if collection.questions)

    @property
    def for_cases(self) -> tuple[str, ...]:
        """Names of the collections in which cases are searched."""
        return self.case.collections or ((self.knowledge.collection,) if self.knowledge else self.names)

    @property
    def required_data_filter(self) -> tuple[str, ...]:
        """Names of the fields that required data are filtered by; unless it says which, all but the topic."""
        named = self.case.required_data.filter
        return tuple(one.name for one in self.filter_fields if one.name != TOPIC) if named is None else named

    @property
    def response_filter(self) -> tuple[str, ...]:
        """Names of the fields that a response is filtered by; unless it says which, all."""
        named = self.case.response.filter
        return tuple(one.name for one in self.filter_fields) if named is None else named

    @property
    def own_folder(self) -> Path:
        """The folder of its prompts and of what its calibration found."""
        return self.folder / self.name

    @property
    def articles(self) -> Path | None:
        """The folder of the articles that it brings along."""
        return self.folder / self.knowledge.folder if self.knowledge else None

    def rank(self, kind: str) -> int:
        """Return the rank of a kind of document."""
        return self.ranks.get(kind, LOWEST_RANK)


def load_profile(name: str) -> Profile:
    """Read ``profiles/<name>.toml``, or the file that a path to a ``.toml`` leads to.

    Raises:
        ConfigurationError: there is no such profile, it breaks the schema or contradicts itself, or it has the name of
            a packaged one and is another.
    """
    packaged = Path(str(resources.files("profiles")))
    file = Path(name).expanduser() if name.endswith(SUFFIX) else packaged / f"{name}{SUFFIX}"
    if not file.is_file() or (not name.endswith(SUFFIX) and Path(name).name != name):
        known = sorted(entry.stem for entry in packaged.glob(f"*{SUFFIX}"))
        raise ConfigurationError(
            f"No existe el perfil «{name}». Perfiles disponibles: {', '.join(known)}, o la ruta de un fichero {SUFFIX} "
            "(ARTICULADO_PROFILE)."
        )
    written: dict[str, Any] = {}
    try:
        written = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        profile = Profile.model_validate({**written, "folder": file.resolve().parent})
    except (ValidationError, tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise _refused(name, problem_of(error, written, Profile)) from error
    if "folder" in written:
        raise _refused(name, "folder: no es una clave conocida; la carpeta del perfil es la de su fichero")
    if file.resolve().parent != packaged.resolve():
        _check_own(name, profile, packaged)
    return profile


def _check_own(file: str, profile: Profile, packaged: Path) -> None:
    """Check what only a profile that does not come with the package can get wrong."""
    if (packaged / f"{profile.name}{SUFFIX}").is_file():
        raise _refused(file, f"name: «{profile.name}» es uno de los incluidos, y tendrían el mismo índice; dele otro")
    if problem := check_field_names(profile):
        raise _refused(file, problem)


def _refused(name: str, what: str) -> ConfigurationError:
    return ConfigurationError(f"El perfil «{name}» no se puede leer: {what}.")


KINDS = ("article", "sentencia", "criterio", "documento")
"""Kinds of document that a profile can rank; laws have the rank of their norm."""
RECORDS = ("normativa", "sentencias", "criterios_inss")
"""Collections that the packaged records go to."""
OPTIONS = ("profile", "index", "json", "help", "rerank", "inquiry", "collected_data", "max_tokens")
"""Options of ``articulado case``, beside which the filter fields are options too."""
ARTICLE_KEYS = ("id", "title", "url", "updated", "chunks", "inquiries", "provisions")
"""Keys of an article, beside which the filter fields are keys too; but for the topic, which is one."""


def contradictions(profile: "Profile") -> Iterator[str]:
    """Yield what a profile says that cannot be, and what to do about it."""
    if profile.features.spanish_law and profile.language != "es":
        yield '[features] spanish_law pide language = "es"'
    for name in _twice(profile.names):
        yield f"hay dos [[collections]] «{name}»; deje una o dele otro nombre"
    for name in _twice(field.name for field in profile.filter_fields):
        yield f"hay dos [[filter_fields]] «{name}»; deje uno o dele otro nombre"
    yield from _unknown_names(profile)
    for field in profile.filter_fields:
        yield from _taken(field)
        yield from _ambiguous(field)
    for kind in profile.ranks:
        if kind not in KINDS:
            yield f"[ranks] «{kind}» no es una clase de documento; las que hay son {', '.join(KINDS)}"
    missing = [name for name in RECORDS if name not in profile.names]
    if profile.features.records and missing:
        yield f"[features] records pide las [[collections]] {', '.join(RECORDS)}; falta {', '.join(missing)}"


def check_field_names(profile: "Profile") -> str:
    """Return what is wrong with the name of a filter field that the state of a case has too; empty where there is none.

    Apart from the others: only a profile of one's own needs it, and it loads the graphs' library.
    """
    from state.case import CaseState

    taken = [field.name for field in profile.filter_fields if field.name in CaseState.__annotations__]
    return (
        f"[[filter_fields]] «{taken[0]}» se llama como una clave del estado de un caso; dele otro nombre"
        if taken
        else ""
    )


def _twice(names: Iterable[str]) -> list[str]:
    known = list(names)
    return sorted({name for name in known if known.count(name) > 1})


def _unknown_names(profile: "Profile") -> Iterator[str]:
    fields, case = [field.name for field in profile.filter_fields], profile.case
    for place, section, named, known in (
        (
            "[knowledge] collection",
            "collections",
            [profile.knowledge.collection] if profile.knowledge else [],
            profile.names,
        ),
        ("[case] collections", "collections", case.collections, profile.names),
        ("[case.required_data] filter", "filter_fields", case.required_data.filter or (), fields),
        ("[case.response] filter", "filter_fields", case.response.filter or (), fields),
    ):
        for name in named:
            if name not in known:
                there = ", ".join(known) or "ninguno"
                yield f"{place}: «{name}» no está en [[{section}]] (los que hay: {there})"


def _taken(field: FilterField) -> Iterator[str]:
    where = f"[[filter_fields]] «{field.name}» se llama como"
    if field.name in OPTIONS:
        yield f"{where} la opción --{field.name.replace('_', '-')} de la línea de órdenes; dele otro nombre"
    if field.name in ARTICLE_KEYS:
        yield f"{where} una clave de los artículos; dele otro nombre"


def _ambiguous(field: FilterField) -> Iterator[str]:
    claimed: dict[str, str] = {}
    for value, others in field.values.items():
        for written in (value, *others):
            if claimed.setdefault(letters_and_digits(written), value) != value:
                other = claimed[letters_and_digits(written)]
                yield (
                    f"[[filter_fields]] «{field.name}», values: «{written}» vale por «{other}» y por «{value}»; "
                    "déjelo en uno (no cuentan mayúsculas, acentos, espacios ni signos)"
                )
