"""Settings of the documentation site; `make docs` builds it."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

from antireg import __version__

# Sphinx looks for a module of the name, which is a former one, before the attribute.
warnings.filterwarnings("ignore", "antireg.export is now", FutureWarning)

ROOT = Path(__file__).parent.parent

project = "antireg"
author = "The antireg developers"
copyright = "the antireg developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
# `config.cache`: functions of the gallery's settings cannot be pickled. `ref.*`: labels
# and terms in docstrings that scikit-learn's own classes hand down.
suppress_warnings = ["config.cache", "ref.ref", "ref.term"]
exclude_patterns = ["_build", "requirements.txt", "gallery/**/*.ipynb"]
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
napoleon_custom_sections = [("Returns", "params_style")]
default_role = "code"
nitpicky = True
# Names of ours must exist; words for types, and names of other libraries, need not. Nor
# need those in the types of dataclasses: they are parts, and not public.
nitpick_ignore_regex = [("py:.*", r"(?!antireg).*"), ("py:class", r"antireg\.\w+\..*")]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_math_renderer = "mathml"
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "antireg"
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "leaderboard": [], "start": []}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"/loops/",
    "download_all_examples": False,
    "show_memory": False,
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
}

INTERNAL = {
    *("entering", "explaining", "flat_targets_", "kind", "learned_of", "losses"),
    *("n_inputs_", "named_values", "noise_", "of_members", "places_", "reader_"),
    *("scaled_by_", "speakers_", "takes_centre", "target_range_", "weight_of"),
    *("highest_log_variance_", "log_limits_"),
}
"""Attributes of estimators that other parts of the library use, and no user."""

FILES = {
    "changelog": "CHANGELOG",
    "contributing": "CONTRIBUTING",
    "security": "SECURITY",
}
"""Pages that are files of the repository's root."""


def fill(app, page, source):
    """Put a file of the root into its page, with links to pages instead of files."""
    if page in FILES:
        path = ROOT / f"{FILES[page]}.md"
        app.env.note_dependency(str(path))
        text = re.sub(r"\]\(docs/", "](", path.read_text())
        for name, file in FILES.items():
            text = text.replace(f"]({file}.md", f"]({name}.md")
        source[0] = text


def skip(app, what, name, value, skipped, options):
    """Leave what is internal out of the reference."""
    return True if name in INTERNAL else None


def link(app, what, name, value, options, lines):
    """Make the pages that a docstring names links: in the source they are files."""
    named = re.compile(r"(?<!`)docs/(\w+)\.md")
    lines[:] = [named.sub(r":doc:`docs/\1.md </\1>`", line) for line in lines]


def inline_math(writer, node):
    """Write a formula as MathML, which browsers draw without scripts."""
    writer.body.append(tex2mathml(node.astext()))
    raise SkipNode


def block_math(writer, node):
    """Write a formula on lines of its own."""
    formula = tex2mathml(node.astext()).replace("<math", '<math display="block"', 1)
    writer.body.append(f'<div class="math">{formula}</div>')
    raise SkipNode


def setup(app):
    """Connect what is ours."""
    app.connect("source-read", fill)
    app.connect("autodoc-process-docstring", link)
    app.connect("autodoc-skip-member", skip)
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
