"""Packages that a question never imports: they measure, train, plot, serve, call a provider or read documents."""

import json
import subprocess
import sys

NEVER = {
    *("evaluation", "ir_measures"),
    *("sklearn", "scipy", "onnxruntime", "matplotlib", "pandas", "torch", "fastembed", "tokenizers"),
    *("openai", "langchain_openai", "qdrant_client", "fastapi", "uvicorn", "langserve", "lxml", "pypdf", "docx"),
    *("articulado.ingestion.bundled", "articulado.ingestion.indexing.build", "articulado.ingestion.chunking.chunks"),
}
SCRIPT = """
import atexit, json, sys
from cli.main import main
atexit.register(lambda: print(json.dumps(sorted({*sys.modules, *(name.partition(".")[0] for name in sys.modules)}))))
sys.argv[1:] = ["ask", "--json", "¿Cuántos días de vacaciones me corresponden?"]
main()
"""


def test_an_offline_answer_imports_no_heavy_package(demo_index):
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    modules = json.loads(ran.stdout.splitlines()[-1])
    assert "articulado.store.embedded" in modules
    assert NEVER.isdisjoint(modules)
