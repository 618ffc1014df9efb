"""The sections of the page; their sentences are in `templates/`."""

from antireg.report.page import Templates

TEMPLATES = Templates("antireg.paper.report")
