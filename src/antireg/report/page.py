"""A self-contained HTML page: text, pictures and tables in one file, nothing to load.

Every function returns `Html`. Plain strings are escaped wherever they go in, so text
from a user's file cannot break the page.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence

STYLE = """
:root { color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1d2430; --soft: #5b6574;
  --line: #e2e0da; --accent: #0b62a8; --warn: #a84300; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #12161c; --card: #1b212a; --ink: #e8eaee; --soft: #a3adba;
  --line: #313a46; --accent: #7dbcf2; --warn: #ffab4d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 2.5rem 1.25rem 4rem;
  background: var(--paper); color: var(--ink); line-height: 1.55;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  -webkit-text-size-adjust: 100%; overflow-wrap: break-word; }
h1 { font-size: clamp(1.7rem, 5vw, 2.4rem); line-height: 1.15; margin: 0 0 .75rem; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 0 0 .5rem; }
p { max-width: 44rem; margin: .5rem 0; }
.lead { font-size: 1.1rem; color: var(--soft); }
section { margin-top: 2.5rem; padding-top: 1.75rem; border-top: 1px solid var(--line); }
figure { margin: 1.25rem 0; }
figcaption { max-width: 44rem; margin-top: .6rem; color: var(--soft);
  font-size: .95rem; }
.note { color: var(--soft); font-size: .85rem; }
.pictures { display: grid; gap: .75rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); }
.pictures img { display: block; width: 100%; height: auto; padding: .5rem;
  background: #ffffff; border: 1px solid var(--line); border-radius: .6rem; }
.table { overflow-x: auto; margin: 1.25rem 0; background: var(--card);
  border: 1px solid var(--line); border-radius: .6rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .5rem .9rem; text-align: right; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; white-space: nowrap; }
thead th { color: var(--soft); font-size: .85rem; font-weight: 600; }
tbody tr { border-top: 1px solid var(--line); }
tbody td { vertical-align: top; }
td:first-child { position: sticky; left: 0; background: var(--card); }
.wraps :is(th, td:first-child) { white-space: normal; overflow-wrap: anywhere; }
.wraps th { min-width: 4.7rem; }
.wraps th:first-child { min-width: 6.5rem; }
.words { display: block; min-width: 7rem; text-align: left; }
strong { color: var(--accent); }
td small { display: block; color: var(--soft); font-size: .78rem; white-space: nowrap; }
td small strong { color: inherit; }
.far { color: var(--warn); font-weight: 600; }
.absent { color: var(--soft); font-style: italic; }
.tables { display: grid; gap: 0 1rem; font-size: .9rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
.tables > .table { container-type: inline-size; }
.tables td { white-space: nowrap; } .tables th:first-child { white-space: normal; }
.tables th, .tables td { padding: .45rem .4rem; }
.tables :is(th, td):first-child { padding-left: .8rem; }
.tables :is(th, td):last-child { padding-right: .8rem; }
@container (max-width: 27rem) { .wide { display: none; }
  .tables td:first-child { white-space: normal; }
  .tables table, .tables th { font-size: .78rem; }
  .tables :is(th, td) { padding: .4rem .25rem; } .tables td small { font-size: .72rem; }
  .tables :is(th, td):first-child { padding-left: .5rem; }
  .tables :is(th, td):last-child { padding-right: .5rem; } }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: 1rem; }
a { color: var(--accent); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
ul { max-width: 44rem; padding-left: 1.2rem; margin: .5rem 0; }
pre { overflow-x: auto; padding: .75rem 1rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .6rem; font-size: .9rem; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 30rem) { body { padding: 1.5rem 1rem 3rem; }
  th, td { padding: .45rem .5rem; font-size: .85rem; }
  thead th { font-size: .75rem; } .tables :is(th, td) { font-size: inherit; } }
"""


class Html(str):
    """Text that is HTML already and goes into the page as it is."""

    __slots__ = ()


def page(title: str, lead: str, sections: Sequence[Html], footer: str = "") -> str:
    """Return the whole page.

    Args:
        title: Heading, and the name of the browser's tab.
        lead: What the page says, in a sentence or two.
        sections: From `section`.
        footer: How the page was made.
    """
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_escaped(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<header>\n<h1>{_escaped(title)}</h1>\n<p class="lead">{_escaped(lead)}</p>\n'
        f"</header>\n<main>\n{''.join(sections)}</main>\n"
        f"<footer>{_escaped(footer)}</footer>\n</body>\n</html>\n"
    )


def section(title: str, *blocks: Html, name: str = "") -> Html:
    """Return a headed part of the page, of paragraphs, figures and tables.

    Args:
        title: Heading.
        blocks: What it holds.
        name: What `contents` finds it by, if it does.
    """
    opening = f'<section id="{html.escape(name)}">' if name else "<section>"
    return Html(f"{opening}\n<h2>{_escaped(title)}</h2>\n{''.join(blocks)}</section>\n")


def contents(titles: Mapping[str, str]) -> Html:
    """Return links to sections, from their names to what is shown."""
    links = (
        f'<a href="#{html.escape(name)}">{_escaped(title)}</a>'
        for name, title in titles.items()
    )
    return Html(f"<nav>{''.join(links)}</nav>\n")


def heading(text: str) -> Html:
    """Return a heading inside a section."""
    return Html(f"<h3>{_escaped(text)}</h3>\n")


def bullets(texts: Sequence[str]) -> Html:
    """Return a list."""
    items = "".join(f"<li>{_escaped(text)}</li>\n" for text in texts)
    return Html(f"<ul>\n{items}</ul>\n")


def code(text: str) -> Html:
    """Return lines to be typed."""
    return Html(f"<pre>{_escaped(text)}</pre>\n")


def paragraph(text: str) -> Html:
    """Return a paragraph."""
    return Html(f"<p>{_escaped(text)}</p>\n")


def note(text: str) -> Html:
    """Return a paragraph of small print."""
    return Html(f'<p class="note">{_escaped(text)}</p>\n')


def strong(text: str) -> Html:
    """Return text that stands out, such as the best number of a column."""
    return Html(f"<strong>{_escaped(text)}</strong>")


def labelled(label: str, text: str) -> Html:
    """Return text after a label that stands out."""
    return Html(f"<strong>{_escaped(label)}</strong>: {_escaped(text)}")


def wide(text: str, rest: str) -> Html:
    """Return both texts, the first of them only where there is room."""
    return Html(f'<span class="wide">{_escaped(text)} </span>{_escaped(rest)}')


def far(text: str) -> Html:
    """Return a number that is not where it should be."""
    return Html(f'<span class="far">{_escaped(text)}</span>')


def absent(text: str) -> Html:
    """Return what stands where a number is missing."""
    return Html(f'<span class="absent">{_escaped(text)}</span>')


def stacked(first: str, *others: str) -> Html:
    """Return a table cell of several lines, all but the first in small print."""
    below = "".join(f"<small>{_escaped(text)}</small>" for text in others)
    return Html(f"{_escaped(first)}{below}")


def side_by_side(blocks: Sequence[Html]) -> Html:
    """Return tables beside each other, below each other where there is no room."""
    return Html(f'<div class="tables">\n{"".join(blocks)}</div>\n')


def picture(svg: bytes, description: str) -> Html:
    """Return a drawing, held inside the page.

    Args:
        svg: The drawing.
        description: What it shows, for readers who cannot see it.
    """
    data = base64.b64encode(svg).decode("ascii")
    description = html.escape(description, quote=True)
    return Html(f'<img alt="{description}" src="data:image/svg+xml;base64,{data}">\n')


def figure(pictures: Sequence[Html], caption: str) -> Html:
    """Return pictures side by side, below each other on a phone, and what to see."""
    return Html(
        f'<figure>\n<div class="pictures">\n{"".join(pictures)}</div>\n'
        f"<figcaption>{_escaped(caption)}</figcaption>\n</figure>\n"
    )


def words(text: str) -> Html:
    """Return text for a cell of a table that is not a number."""
    return Html(f'<span class="words">{_escaped(text)}</span>')


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, wraps: bool = False
) -> Html:
    """Return a table: names in the first column, numbers in the others.

    Args:
        header: Name of each column.
        rows: Their cells.
        wraps: Whether cells may break to fit a phone; else it scrolls sideways there.
    """
    head = "".join(f'<th scope="col">{_escaped(cell)}</th>' for cell in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{_escaped(cell)}</td>' for cell in row)}</tr>\n"
        for row in rows
    )
    kind = "table wraps" if wraps else "table"
    return Html(
        f'<div class="{kind}">\n<table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table>\n</div>\n"
    )


def _escaped(text: str) -> str:
    return text if isinstance(text, Html) else html.escape(text, quote=False)
