"""A question to graphs that are held open, and the texts that it finds in their index."""

from graph.open_graphs import RAG, Opened

REST = {"question": "¿Cuánto dura el descanso semanal?"}


async def text_found(held: Opened) -> str:
    """Return the texts of the candidates, best first."""
    *_, state = [state async for state in held.graphs[RAG].astream(REST, stream_mode="values")]
    chunks = await held.services.store.fetch([candidate["chunk"]["id"] for candidate in state["candidates"]])
    return " ".join(chunk["text"] for chunk in chunks)
