"""A process that ingests a folder; it says when it begins, so that a test can kill it while it works."""

import asyncio
import sys
from pathlib import Path

from graph.ingest import build_ingest
from services.settings import Settings


def main() -> None:
    folder, index, home = map(Path, sys.argv[1:])
    graph = build_ingest(Settings.read(env_file=None, index=index, home=home))
    print("begins", flush=True)
    asyncio.run(graph.ainvoke({"paths": [str(folder)]}))


if __name__ == "__main__":
    main()
