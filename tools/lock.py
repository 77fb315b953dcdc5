"""Remove from a lock file the requirements without a hash.

python -m tools.lock requirements.lock

The only such requirement is the project itself, which pip-compile names by its folder.
"""

import re
import sys
from pathlib import Path

_BLOCK = re.compile(r"^\S.*(?:\n[ \t].*)*", re.MULTILINE)
_PINNED = re.compile(r"[\w.-]+==\S+")


def locked(text: str) -> str:
    r"""Return the pinned requirements of a lock, each with its hashes, without comments.

    >>> locked("# Of:\na==1 --hash=sha256:0\nhere @ file:///home\n    # via x\n")
    'a==1 --hash=sha256:0\n'
    """
    return "".join(f"{block}\n" for block in _BLOCK.findall(text) if _PINNED.match(block))


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(locked(file.read_text(encoding="utf-8")), encoding="utf-8")
