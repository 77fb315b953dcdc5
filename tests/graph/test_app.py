"""The graphs for Python programs: nothing is opened on import, and the first run answers."""

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, sys
from pathlib import Path
home = Path(sys.argv[1])
from graph.app import generate_response, rag, required_data
named = rag.with_config(tags=["a"]).with_config(run_name="b")
import graph.app
untouched = not home.exists() and graph.app._graphs.cache_info().currsize == 0
asked = {"question": "¿Qué dice el artículo 38 ET?"}
answered = [rag.invoke(asked), named.invoke(asked)]
streamed = [event["type"] for event in rag.stream(asked, stream_mode="custom")]

async def asynchronously():
    finals = [event async for event in named.astream(asked, stream_mode="custom") if event["type"] == "final"]
    return [await rag.ainvoke(asked), finals[0]["result"]]

import asyncio
answered += asyncio.run(asynchronously())
print(json.dumps({
    "untouched": untouched,
    "outcomes": [result["outcome"] for result in answered],
    "answers": len({result["answer"] for result in answered}),
    "last_event": streamed[-1],
    "nodes": sorted(rag.get_graph().nodes),
    "input": rag.get_input_jsonschema(),
    "names": [rag.get_name(), required_data.get_name(), generate_response.get_name()],
    "day": graph.app.services.index_day is not None,
}))
"""


def test_import_opens_nothing_and_the_first_run_answers(demo_index: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = {**os.environ, "ARTICULADO_HOME": str(home), "ARTICULADO_INDEX": str(demo_index)}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(home)], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout.splitlines()[-1])
    assert told["untouched"]
    assert told["outcomes"] == ["answer"] * 4
    assert told["answers"] == 1
    assert told["last_event"] == "final"
    assert {"analyze_question", "finalize"} <= set(told["nodes"])
    assert "question" in json.dumps(told["input"])
    assert told["names"] == ["rag", "required_data", "generate_response"]
    assert told["day"]
