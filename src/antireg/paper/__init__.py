"""The paper reproduced: its data sets, experiments, tables and figures, and a demo."""
