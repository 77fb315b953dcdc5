"""Clean the lock file: ``dependencies lock FILE``; report pip-audit's JSON on stdin: ``dependencies audit``."""

import json
import re
import sys
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"^\S.*(?:\n[ \t].*)*", re.MULTILINE)
_PINNED = re.compile(r"[\w.-]+==\S+")


def locked(text: str) -> str:
    """Return the pinned requirements of a lock, each with its hashes, without comments."""
    return "".join(f"{block}\n" for block in _BLOCK.findall(text) if _PINNED.match(block))


CLEAN, FOUND, NOT_REACHED = 0, 1, 2


def told(report: str) -> tuple[str, int]:
    """Return a message on a report in JSON, and the exit status: 0 clean, 1 vulnerable, 2 not looked up."""
    try:
        dependencies: list[dict[str, Any]] = json.loads(report)["dependencies"]
    except (ValueError, LookupError, TypeError):
        return "La base de datos de vulnerabilidades no está al alcance: no se ha comprobado nada.", NOT_REACHED
    looked_up = [one for one in dependencies if "skip_reason" not in one]
    vulnerable = [
        f"{one['name']} {one['version']}: {', '.join(found['id'] for found in one['vulns'])}"
        for one in looked_up
        if one["vulns"]
    ]
    counted = f"Comprobadas {len(looked_up)} de {len(dependencies)} dependencias"
    if vulnerable:
        return "\n".join([f"{counted}:", *vulnerable]), FOUND
    if len(looked_up) < len(dependencies):
        return f"{counted}: la base de datos de vulnerabilidades no está al alcance de las demás.", NOT_REACHED
    return f"{counted}: ninguna vulnerabilidad conocida.", CLEAN


if __name__ == "__main__":
    if sys.argv[1] == "lock":
        lock = Path(sys.argv[2])
        lock.write_text(locked(lock.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        message, status = told(sys.stdin.read())
        print(message)
        sys.exit(status)
