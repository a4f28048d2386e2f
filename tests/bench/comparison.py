"""Runs Strata and its peers on one model in turn, each in its own process: all see the same state of the machine."""

import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
RELATIVE, ABSOLUTE = 1e-3, 1e-4
STEADY = 1.15  # how far rounds' ratios lie apart where nothing else has run beside them
PAIRS = 9  # of runs that settle a doubt
TIMEOUT = 180  # seconds, of one measurement: some peers never end some models


@contextlib.contextmanager
def one_core():
    """Keeps this process and those it starts on one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def output_of(command):
    """What a process prints. Throws: RuntimeError with what it complains of."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{words[0]} takes longer than {TIMEOUT} s") from None
    except OSError as error:
        raise RuntimeError(f"{words[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-600:] or f"{words[0]} ends with {done.returncode}")
    return done.stdout


def measure(command, threads):
    """What a process prints as JSON; pinned to one core when it has one thread."""
    with one_core() if threads == 1 else contextlib.nullcontext():
        return json.loads(output_of(command))


def tolerance(expected):
    """The absolute tolerance: of the largest value, beyond one; bytes may be rounded to the next one."""
    if expected.dtype.kind in "iu" and expected.itemsize == 1:
        return 1.0
    return ABSOLUTE * max(1.0, float(np.abs(expected.astype(np.float64)).max(initial=0)))


def differences(actual, expected, slack=1.0):
    """What is wrong with the outputs in the `.npz` at `actual`, or nothing; tolerances are `slack` times as large."""
    with np.load(actual) as ours, np.load(expected) as theirs:
        for name in theirs.files:
            if ours[name].shape != theirs[name].shape:
                return f"{name} has shape {ours[name].shape}, expected {theirs[name].shape}"
            a, b = (each[name].astype(np.float64) for each in (ours, theirs))
            if not np.allclose(a, b, rtol=RELATIVE, atol=slack * tolerance(theirs[name]), equal_nan=True):
                return f"{name} is off by {np.nanmax(np.abs(a - b)):.3g}"
    return None


def rounds_text(options):
    return (f"medians of {options.rounds} paired rounds of {options.seconds} s, of up to twice as many where their "
            f"ratios lie more than {STEADY - 1:.0%} apart")


def middle(rounds, key, unit=1.0):
    return statistics.median(each[key] for each in rounds) * unit


class Comparison:
    """One model. `rounds[engine][threads]` is the list of the rounds' measurements; a peer that refuses the model has
    none, and its reason in `refusals`. ONNX Runtime may not refuse: its outputs are the expected ones."""

    def __init__(self, name, case, options, folder, peers=("onnxruntime",)):
        self.name, self.case, self.options, self.folder = name, case, options, folder
        self.model, self.inputs = case.write(folder, name)
        self.input_files = self.write_input_files()
        self.outputs = folder / f"{name}.expected.npz"
        self.rounds = {engine: {} for engine in ("strata", *peers)}
        self.refusals = {}
        self.wrong = None

    def write_input_files(self):
        """Arguments that name each input's own file, which loads nothing that unpacks."""
        arguments = []
        with np.load(self.inputs) as inputs:
            for i, name in enumerate(inputs.files):
                path = self.folder / f"{self.name}.{i}.npy"
                np.save(path, inputs[name])
                arguments += ["--input", f"{name}={path}"]
        return arguments

    def run(self):
        for threads in self.options.threads:
            for _ in range(self.options.rounds):
                self.run_round(threads)
            while not self.is_settled(threads):
                self.run_round(threads)
        self.wrong = differences(self.strata_outputs(), self.outputs, self.case.slack)

    def run_round(self, threads):
        for engine in self.rounds:
            self.run_engine(engine, threads)

    def is_settled(self, threads):
        """Whether the rounds' ratios agree, or there have been twice as many rounds as were asked for."""
        ratios = self.ratios(threads)
        return len(ratios) >= 2 * self.options.rounds or max(ratios) <= STEADY * min(ratios)

    def run_engine(self, engine, threads):
        if engine in self.refusals:
            return
        try:
            found = measure(self.bench_command(engine, threads), threads)
        except RuntimeError as error:
            if engine in ("strata", "onnxruntime"):
                raise
            self.refusals[engine] = (str(error).splitlines() or ["no reason given"])[-1]
            self.rounds[engine].clear()
            return
        self.rounds[engine].setdefault(threads, []).append(found)

    def bench_command(self, engine, threads):
        if engine == "strata":
            command = [self.options.strata, "bench", self.model, *self.input_files, "--threads", threads]
            return [*command, "--seconds", self.options.seconds, "--json"]
        command = [sys.executable, HERE / f"peer_{engine}.py", self.model, self.inputs, threads, self.options.seconds]
        return [*command, self.outputs] if engine == "onnxruntime" else command

    def strata_outputs(self):
        outputs = self.folder / f"{self.name}.actual.npz"
        output_of([self.options.strata, "run", self.model, *self.input_files, "--output", outputs])
        return outputs

    def gain(self, threads):
        """Strata's time on `threads` threads to its time on one, on whatever cores: the median of pairs."""
        ratios = []
        for pair in range(PAIRS):
            order = (1, threads) if pair % 2 else (threads, 1)
            found = {count: json.loads(output_of(self.bench_command("strata", count))) for count in order}
            ratios.append(found[threads]["median"] / found[1]["median"])
        return statistics.median(ratios)

    def cold_start(self, tries=5):
        """Seconds from the start of a Strata process to its end, with one run in it: the median of some."""
        command = [self.options.strata, "run", self.model, *self.input_files]
        times = []
        for _ in range(tries):
            with one_core():
                before = time.perf_counter()
                output_of(command)
                times.append(time.perf_counter() - before)
        return statistics.median(times)

    def ratio(self, threads, peer="onnxruntime", key="median"):
        """The median of the rounds' ratios; nothing when the peer has refused the model."""
        ratios = self.ratios(threads, peer, key)
        return statistics.median(ratios) if ratios else None

    def ratios(self, threads, peer="onnxruntime", key="median"):
        """Strata's to the peer's, round by round."""
        pairs = zip(self.rounds["strata"][threads], self.rounds[peer].get(threads, []))
        return [ours[key] / theirs[key] for ours, theirs in pairs]

    def latency(self, threads, engine="strata"):
        """In seconds; nothing when the engine has refused the model."""
        rounds = self.rounds[engine].get(threads)
        return middle(rounds, "median") if rounds else None

    def record(self):
        return {
            "iterations": self.case.iterations,
            "wrong": self.wrong,
            "refusals": self.refusals,
            "ratio": {threads: self.ratio(threads) for threads in self.options.threads},
            **self.rounds,
        }
