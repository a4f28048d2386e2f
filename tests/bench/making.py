"""The command that writes a benchmark's models into a folder."""

import argparse
import pathlib


def main(models, description):
    """`models` has a function for each name, which returns a Case."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="the models to make; all of them when none is named")
    words = parser.parse_args()
    for name in words.names:
        if name not in models:
            parser.error(f"no model is named {name}; there are {', '.join(models)}")
    words.folder.mkdir(parents=True, exist_ok=True)
    for name in words.names or models:
        models[name]().write(words.folder, name)
