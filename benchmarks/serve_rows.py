"""Times `antireg serve` on loopback: one row at a time, and how much memory it takes.

python benchmarks/serve_rows.py model/ row.json
"""

import json
import os
import re
import statistics
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

PORT = 8765
N_REQUESTS = 500
N_ROWS = 1000


def main() -> None:
    """Start the service, ask it, and print what was measured."""
    model, row = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
    command = [sys.executable, "-m", "antireg.cli", "serve", model, "--quiet"]
    server = subprocess.Popen([*command, "--port", str(PORT)])
    try:
        connection = connected()
        asked(connection, "/predict", {"row": row})
        times, before = [], busy(server.pid)
        for _ in range(N_REQUESTS):
            start = time.perf_counter()
            asked(connection, "/predict", {"row": row})
            times.append(1000 * (time.perf_counter() - start))
        cuts = statistics.quantiles(times, n=100)
        spent = 1000 * (busy(server.pid) - before) / N_REQUESTS
        print(f"one row: p50 {cuts[49]:.2f} ms, p99 {cuts[98]:.2f} ms")
        print(f"one row: {spent:.2f} ms of processor time, whatever else runs")
        start = time.perf_counter()
        asked(connection, "/predict/batch", {"rows": [row] * N_ROWS})
        print(f"{N_ROWS} rows: {1000 * (time.perf_counter() - start):.0f} ms")
        status = Path(f"/proc/{server.pid}/status").read_text()
        memory = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024
        print(f"most memory: {memory:.0f} MB")
    finally:
        server.terminate()
        server.wait()


def busy(process: int) -> float:
    """Return the seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def connected() -> HTTPConnection:
    """Return a connection, once the service answers."""
    for _ in range(600):
        connection = HTTPConnection("127.0.0.1", PORT, timeout=30)
        try:
            connection.request("GET", "/health")
            connection.getresponse().read()
        except OSError:
            time.sleep(0.2)
        else:
            return connection
    raise TimeoutError("The service did not answer within two minutes.")


def asked(connection: HTTPConnection, path: str, body: object) -> object:
    """Return what the service answers."""
    headers = {"Content-Type": "application/json"}
    connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise ValueError(content.decode())
    return json.loads(content)


if __name__ == "__main__":
    main()
