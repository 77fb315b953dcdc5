"""The room that an index takes on its disk, and the room that is left.

The embedded engine writes through memory maps of sparse files: where the disk is full the system kills the process
(SIGBUS) instead of raising an error. So the room is looked at first, before anything that writes.
"""

import os
from contextlib import suppress
from pathlib import Path

from articulado.language.translation import translate
from articulado.values.errors import StoreUnavailable

MEGABYTE = 1 << 20


def require_room(folder: Path, needed: int) -> None:
    """Check that the disk of a folder, which exists, has room for so many bytes.

    Another program may take the room a moment later; what is needed should have something to spare.

    Raises:
        StoreUnavailable: it has not; the message says how much is needed and how much is left.
    """
    try:
        disk = os.statvfs(folder)
    except OSError:
        return  # whoever writes there will say what is wrong
    left = disk.f_bavail * disk.f_frsize
    if left < needed:
        raise StoreUnavailable(
            translate("store.no_room", folder=folder, needed=-(-needed // MEGABYTE), left=left // MEGABYTE)
        )


def bytes_on_disk(folder: Path) -> int:
    """Return what the files of a folder take on the disk: holes take nothing.

    What goes while it is looked at is not counted: readers of an index make folders that live for a moment.
    """
    taken = 0
    for inside, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                taken += Path(inside, name).stat().st_blocks * 512
    return taken
