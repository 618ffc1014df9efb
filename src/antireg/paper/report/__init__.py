"""The paper's tables and figures, and a page of them, from rows alone."""
