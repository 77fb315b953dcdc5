"""What the operating system says, as it can be shown: its errors in the language that is spoken, and paths."""

import errno
import os
from pathlib import Path

from language.current import say

_REASONS = {
    errno.EACCES: "system.not_permitted",
    errno.EPERM: "system.not_permitted",
    errno.EROFS: "system.read_only",
    errno.ENOENT: "system.not_there",
    errno.ENOTDIR: "system.file_for_folder",
    errno.EEXIST: "system.file_for_folder",
    errno.EISDIR: "system.folder_for_file",
    errno.ELOOP: "system.link_loop",
    errno.ENAMETOOLONG: "system.name_too_long",
    errno.ENOSPC: "system.disk_full",
    errno.EDQUOT: "system.quota",
}


def reason(error: OSError) -> str:
    """Return why the system refused, as the end of a sentence ("… : no existe")."""
    code = error.errno or 0
    return say(_REASONS[code]) if code in _REASONS else say("system.other", error=errno.errorcode.get(code, code))


def printable(path: Path) -> str:
    """Return a path as it can be written; what is not UTF-8 is marked."""
    return os.fsencode(path).decode(errors="replace")
