"""The file of sentences: durable, shared, and explained when it cannot be used."""

import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.paths import REPOSITORY

from articulado.ingestion.context.paid_cache import ContextCache
from articulado.values.errors import ConfigurationError

WRITER = """
import sys
from itertools import count
from pathlib import Path
from articulado.ingestion.context.paid_cache import ContextCache
cache = ContextCache(Path(sys.argv[1]))
for number in count():
    cache.put(str(number), f"Frase {number}: " + "ñ" * 500)
    print(number, flush=True)
"""


def test_sentences_outlive_the_cache(tmp_path):
    path = tmp_path / "nueva" / "frases.sqlite"
    with ContextCache(path) as cache:
        cache.put("a", "Regula «días».")
        cache.put("b", "")
        cache.put("a", "Regula el permiso.")
    with ContextCache(path) as cache:
        assert cache.get_many(["b", "c", "a"]) == {"a": "Regula el permiso."}
        assert cache.get_many([]) == {}


def test_thousands_of_keys_are_read_at_once(tmp_path):
    with ContextCache(tmp_path / "frases.sqlite") as cache:
        cache.put("39999", "x")
        assert cache.get_many([str(number) for number in range(40_000)]) == {"39999": "x"}


def test_threads_share_a_cache(tmp_path):
    with ContextCache(tmp_path / "frases.sqlite") as cache:
        keys = [str(number) for number in range(200)]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda key: cache.put(key, f"Frase {key}."), keys))
        assert cache.get_many(keys) == {key: f"Frase {key}." for key in keys}


@pytest.mark.integration
def test_a_killed_writer_loses_nothing_that_it_had_put(tmp_path):
    path = tmp_path / "frases.sqlite"
    for _ in range(2):  # the second one writes to what the killed first one has left
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)],
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(REPOSITORY)},
        )
        for _ in range(200):
            writer.stdout.readline()
        with ContextCache(path) as reader:  # while it writes
            assert reader.get_many(["150"]).keys() == {"150"}
        writer.send_signal(signal.SIGKILL)
        told = [*range(200), *(int(line) for line in writer.communicate()[0].splitlines() if line)]
        assert writer.returncode == -signal.SIGKILL
        with ContextCache(path) as cache:
            keys = [str(number) for number in told]
            assert cache.get_many(keys) == {key: f"Frase {key}: " + "ñ" * 500 for key in keys}
            cache.put("después", "Sigue.")
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()


def test_other_file_is_reported_and_left_unchanged(tmp_path):
    path = tmp_path / "frases.sqlite"
    path.write_bytes(b"esto no es una base de datos" * 100)
    with pytest.raises(ConfigurationError, match=r"frases\.sqlite está dañado o no es de articulado .*bórrelo"):
        ContextCache(path)
    assert path.read_bytes().startswith(b"esto no es")


def test_other_database_is_reported(tmp_path):
    path = tmp_path / "frases.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE paid (id INTEGER)")
    connection.close()
    with ContextCache(path) as cache, pytest.raises(ConfigurationError, match="no es de articulado"):
        cache.get_many(["a"])


def test_damaged_page_is_reported(tmp_path):
    path = tmp_path / "frases.sqlite"
    with ContextCache(path) as cache:
        for number in range(500):
            cache.put(str(number), "ñ" * 300)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)  # all but the first page, which holds the schema
    path.write_bytes(content)
    with ContextCache(path) as cache:
        with pytest.raises(ConfigurationError, match="se pedirá de nuevo"):
            cache.get_many([str(number) for number in range(500)])
        with pytest.raises(ConfigurationError, match="está dañado"):
            cache.put("nueva", "x")


def test_unusable_path_is_reported(tmp_path):
    (tmp_path / "carpeta").mkdir()
    with pytest.raises(ConfigurationError, match=r"No se puede usar .*carpeta: no se puede abrir"):
        ContextCache(tmp_path / "carpeta")
    (tmp_path / "fichero").write_text("")
    with pytest.raises(ConfigurationError, match="hay un fichero donde debería haber una carpeta"):
        ContextCache(tmp_path / "fichero" / "frases.sqlite")
