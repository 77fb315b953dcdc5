"""Libraries for vectors compute in the thread that asks them."""

import os
import subprocess
import sys

import pytest

from articulado import ONE_THREAD

COMPUTES = """
import os
from articulado.encoders.dual import packaged_encoder
import numpy as np
np.ones((20_000, 192), dtype=np.float32) @ np.ones(192, dtype=np.float32)
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="the threads of a process are counted in /proc")
def test_a_process_that_imports_a_service_has_no_threads_of_a_library():
    environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    ran = subprocess.run([sys.executable, "-c", COMPUTES], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "1"


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="the threads of a process are counted in /proc")
def test_who_has_decided_on_the_threads_keeps_them():
    environment = os.environ | ONE_THREAD | {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    ran = subprocess.run([sys.executable, "-c", COMPUTES], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(min(2, os.cpu_count() or 1))
