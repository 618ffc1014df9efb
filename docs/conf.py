"""Settings of the documentation site; `make docs` builds it."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from antireg import __version__

project = "antireg"
author = "The antireg developers"
copyright = "the antireg developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
# Labels and terms are those in scikit-learn's own docstrings; README and SECURITY are
# linked to, and not pages of the site.
suppress_warnings = ["config.cache", "ref.ref", "ref.term", "myst.xref_missing"]
exclude_patterns = ["_build", "requirements.txt", "gallery/**/*.ipynb"]
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "inherited-members": True}
napoleon_custom_sections = [("Returns", "params_style")]

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_title = "antireg"
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_memory": False,
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
}
