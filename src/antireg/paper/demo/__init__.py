"""The demo: DARE beside deep ensembles on small problems, trained while you wait."""
