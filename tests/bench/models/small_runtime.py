"""What a process takes that runs a model of one node by the small runtime: memory and time."""

import fcntl
import os
import pathlib
import re
import subprocess
import time

TRIES = 10
STEP = 0.01  # seconds between two looks at a process


def full_pipe():
    """A pipe that takes nothing more: who writes to it waits."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    try:
        while True:
            os.write(writer, b"\0")
    except BlockingIOError:
        os.set_blocking(writer, True)
    return reader, writer


def waits_for_pipe(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return fields[0] == "S"


def peak_bytes(command):
    """The most memory that a process had, asked of it while it waits to write the last it has to say. What the system
    tells of ended children counts the parent's own memory, from before the program was loaded."""
    reader, writer = full_pipe()
    with subprocess.Popen(command, stdout=writer) as process:
        os.close(writer)
        while not waits_for_pipe(process) and process.poll() is None:
            time.sleep(STEP)
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        os.close(reader)  # it may fail to write now
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024


def seconds(command):
    """From the start of a process to its end: the least of some."""
    times = []
    for _ in range(TRIES):
        before = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - before)
    return min(times)


def measured(strata, model, folder):
    """Bytes and seconds of the program beside `strata` that runs the model as OPL."""
    stored = folder / "model.tar"
    subprocess.run([strata, "optimize", model, "-o", stored], check=True, stdout=subprocess.DEVNULL)
    command = [strata.parent / "strata_opl_run", stored]
    return peak_bytes(command), seconds(command)
