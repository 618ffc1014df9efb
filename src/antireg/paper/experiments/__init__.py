"""The paper's experiments: recipes as data, runs as rows of a table."""
