"""What a test has processes do within limits."""

import os
import signal
import sys
from pathlib import Path

import yaml

from articulado.config.data_files import UnreadableYaml, load_yaml
from articulado.ingestion.boe.cache import parse_xml
from articulado.language.translation import current_language
from articulado.values.errors import InvalidInput, StoreUnavailable


def total(numbers: list[int]) -> int:
    return sum(numbers)


def process_id() -> int:
    return os.getpid()


def spoken() -> str:
    return current_language()


def printed() -> str:
    print("Esto no es una respuesta.")
    os.write(1, b"Ni esto.\n")
    return "respuesta"


def refused() -> None:
    raise StoreUnavailable("El disco está lleno.")


def failed() -> None:
    raise LookupError("la página 3 no existe")


def panicked() -> None:
    """Fail as extensions in Rust do: with what is no ``Exception``."""
    raise BaseException("index out of bounds")


def out_of_memory() -> int:
    """Take 16 MiB after 16 MiB, as the reader of a damaged file may, which calls whatever happens a damage."""
    taken = []
    try:
        while True:
            taken.append(bytearray(1 << 24))
    except MemoryError as error:
        raise ValueError("el documento está dañado") from error


def parsed_out_of_memory() -> None:
    """Parse XML of which the tree does not fit: libxml2 calls that a damage."""
    parse_xml(b"<a>" + b"<b/>" * 8_000_000 + b"</a>")


def nested() -> int:
    return nested() + 1


def nested_yaml() -> None:
    """Load YAML that nests too deep, and tell that it is the YAML, as readers of headers do."""
    try:
        load_yaml("[" * 20_000, yaml.BaseLoader)
    except UnreadableYaml as error:
        raise InvalidInput("La cabecera no es YAML.") from error


def crashed(signal_name: str) -> None:
    os.kill(os.getpid(), signal.Signals[signal_name])


def endless(note: str = "") -> None:
    """Go on for ever, in one call that no other thread interrupts; leave the id of the process in a file."""
    if note:
        Path(f"{note}.partial").write_text(str(os.getpid()), encoding="utf-8")
        Path(f"{note}.partial").rename(note)
    sys.setswitchinterval(1_000_000)
    while True:
        pass
