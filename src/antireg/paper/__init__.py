"""The paper run again: data sets, experiments, its tables and figures, a demo."""
