"""Marks of tests that need what only some systems have."""

import os
import signal
import sys

import pytest

POSIX = pytest.mark.skipif(
    os.name != "posix", reason="needs permissions, links and devices of POSIX"
)
FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
KILLS = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads memory from /proc")
