"""Runs the models that must be refused and checks exit codes and messages: usage: refused_test.py STRATA [FOLDER]"""

import pathlib
import subprocess
import sys

STAGES = ("typed", "declutter", "optimise")


def complaint(strata, home, stage):
    """What is wrong with how the command refuses the model of `home`; None when nothing is."""
    code, says = (home / "refused.txt").read_text().splitlines()
    words = [strata, "run", home / "model.onnx", "--inputs", home / "test_data_set_0", "--stage", stage]
    run = subprocess.run([*map(str, words), "--max-iterations", "1000"], capture_output=True, text=True, timeout=60)
    if run.returncode != int(code):
        return f"exit code {run.returncode}, not {code}: {run.stderr.strip() or run.stdout.strip()}"
    if says not in run.stderr:
        return f"does not say {says!r}: {run.stderr.strip()}"
    return None


def main():
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "refused"
    homes = sorted(each.parent for each in folder.glob("*/refused.txt"))
    failures = 0
    for home in homes:
        for stage in STAGES:
            wrong = complaint(sys.argv[1], home, stage)
            if wrong:
                failures += 1
                print(f"{home.name} {stage}: {wrong}")
    print(f"{len(homes)} models, {failures} runs not as expected")
    return 1 if failures or not homes else 0


if __name__ == "__main__":
    sys.exit(main())
