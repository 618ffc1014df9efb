"""The demo: doubt, DARE and deep ensembles on small problems, trained in minutes."""
