"""Draws ratios as an SVG: a row for each model, a dot for each number of threads, a bar for the goal."""

import html
import math

COLOURS = ["#1f6fb2", "#e07b39", "#5a9e4b", "#8a5fb0"]
LABELS, WIDTH, ROW, TOP = 190, 620, 16, 48
LEAST, MOST = 0.01, 10.0


def across(ratio):
    """Where a ratio lies, on a scale of logarithms."""
    clamped = min(max(ratio, LEAST), MOST)
    return LABELS + WIDTH * math.log(clamped / LEAST) / math.log(MOST / LEAST)


def text(x, y, words, anchor="start", colour="#333333"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{html.escape(words)}</text>'


def scale(bottom):
    marks = []
    for ratio in (0.01, 0.03, 0.1, 0.3, 1, 3, 10):
        x, colour = across(ratio), "#333333" if ratio == 1 else "#dddddd"
        marks.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="{colour}"/>')
        marks.append(text(x, TOP - 12, f"{ratio:g}", "middle"))
    return marks


def row(y, name, ratios, goal):
    middle = y + ROW / 2
    marks = [text(LABELS - 8, middle + 4, name, "end")]
    if goal:
        marks.append(f'<rect x="{across(goal) - 1:.1f}" y="{y + 2}" width="2" height="{ROW - 4}" fill="#999999"/>')
    for colour, ratio in zip(COLOURS, ratios):
        if ratio is not None:
            marks.append(f'<circle cx="{across(ratio):.1f}" cy="{middle}" r="4" fill="{colour}" fill-opacity="0.85"/>')
    return marks


def svg(title, rows, threads):
    """`rows` are of a name, the ratios for each number of threads, and a goal or nothing."""
    bottom = TOP + ROW * len(rows)
    marks = [text(8, 16, title), *scale(bottom)]
    for number, (colour, count) in enumerate(zip(COLOURS, threads)):
        marks.append(text(LABELS + WIDTH - 40 * number, 16, f"{count}T", "end", colour))
    for number, each in enumerate(rows):
        marks += row(TOP + ROW * number, *each)
    size = f'width="{LABELS + WIDTH + 20}" height="{bottom + 8}"'
    style = 'font-family="sans-serif" font-size="11"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}><rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head, *marks, "</svg>\n"])
