"""Measure what a thread keeps of two turns, in a plain checkpointer, as an Agent Server would have one.

    python benchmarks/checkpoints.py --index INDEX

Counted are the bytes of all checkpoints, of the values in them, and of the writes between them, as they are serialised.
"""

import argparse
import asyncio
from pathlib import Path

from langgraph.checkpoint.memory import InMemorySaver

from articulado.config.settings import Settings
from graph.compose import open_services
from graph.rag import build_rag

TURNS = ("¿Cuántos días de vacaciones me corresponden?", "¿Y pueden sustituirse por dinero?")


async def measure(index: Path) -> None:
    """Ask two questions on a thread, and print what it keeps after each."""
    services = await open_services(Settings.read(env_file=None, index=index))
    saver = InMemorySaver()
    graph = build_rag(services, saver)
    for turn, question in enumerate(TURNS, start=1):
        await graph.ainvoke({"question": question}, {"configurable": {"thread_id": "1"}})
        checkpoints = [saved[0][1] for saved in saver.storage["1"][""].values()]
        values = [typed[1] for typed in saver.blobs.values()]
        writes = [write[2][1] for writes in saver.writes.values() for write in writes.values()]
        sizes = [sum(map(len, part)) / 1024 for part in (checkpoints, values, writes)]
        print(
            f"after turn {turn}: {sum(sizes):.0f} KiB in {len(checkpoints)} steps:"
            f" checkpoints {sizes[0]:.0f}, values {sizes[1]:.0f}, writes {sizes[2]:.0f}",
            flush=True,
        )
    await services.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", type=Path, required=True)
    asyncio.run(measure(parser.parse_args().index))
