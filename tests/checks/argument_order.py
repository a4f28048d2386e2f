"""Checks that no argument of a call reads what another one moves: usage: argument_order.py PROJECT

Compilers evaluate arguments in an order of their own, so that `f(std::move(patch), patch.wire(op))` wires into what has
been moved where the first one goes first. In braces the order is that of the text, and nothing is said of them.
"""

import pathlib
import re
import sys

LAYERS = ("core", "hir", "onnx", "opl", "images", "text", "cli", "tests")
MOVE = re.compile(r"\bstd::move\(\*?([\w.]+)\)")
NO_CALL = re.compile(r"\b(if|while|for|switch|return|catch)\s*$")
OPENING, CLOSING = "([{", ")]}"


def blanked(text):
    """The text without comments and literals, each character of which becomes a blank."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.DOTALL)


def enclosing(text, at):
    """Where the innermost bracket around `at` opens, or None."""
    depth = 0
    for i in range(at - 1, -1, -1):
        if text[i] in CLOSING:
            depth += 1
        elif text[i] in OPENING:
            if depth == 0:
                return i
            depth -= 1
    return None


def arguments(text, opening):
    """The arguments behind the bracket, each with where it begins."""
    depth, begin, found = 0, opening + 1, []
    for i in range(opening, len(text)):
        if text[i] in OPENING:
            depth += 1
        elif text[i] in CLOSING:
            depth -= 1
        if depth == 0 or (depth == 1 and text[i] == ","):
            found.append((begin, text[begin:i]))
            begin = i + 1
        if depth == 0:
            return found
    return found


def names(argument, thing, behind):
    """Whether it names the thing, and not another one's member, with this behind it."""
    return re.search(rf"(?<![\w.>]){re.escape(thing)}{behind}", argument)


def reads(argument, moved):
    """Whether it reads what is moved, a part of it, or the whole that it is a part of."""
    wholes = [moved[:i] for i, c in enumerate(moved) if c == "."]
    return names(argument, moved, r"\b") or any(names(argument, whole, r"(?![\w.])") for whole in wholes)


def complaints(text):
    text = blanked(text)
    for match in MOVE.finditer(text):
        opening = enclosing(text, match.start())
        if opening is None or text[opening] != "(" or NO_CALL.search(text[:opening]):
            continue
        for begin, argument in arguments(text, opening):
            is_own = begin <= match.start() < begin + len(argument)
            if not is_own and reads(argument, match.group(1)):
                yield text.count("\n", 0, match.start()) + 1, match.group(1)


def check_itself():
    """The check finds what it is for, and nothing else."""
    wrong = ["f(node, std::move(patch), patch.wire(op));", "f(x.size(), std::move(x));", "f(a, std::move(a.b));"]
    right = ["f({std::move(x), x.size()});", "f(x.size(), g(std::move(y)));", "f(by.wires, std::move(by.steps));",
             'f("x", std::move(x));  // x', "if (x.ok()) f(std::move(x));", "f(other.x, std::move(x));"]
    for code in wrong:
        assert list(complaints(code)), code
    for code in right:
        assert not list(complaints(code)), code


def main():
    check_itself()
    project, count, found = pathlib.Path(sys.argv[1]), 0, []
    for layer in LAYERS:
        for path in sorted((project / layer).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            count += 1
            for line, name in complaints(path.read_text()):
                found.append(f"{path.relative_to(project)}:{line}: {name} is moved and read by arguments of one call")
    print("\n".join(found) or "no call reads what it moves")
    print(f"{count} sources, {len(found)} complaints")
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
