"""Measures how good a model is, and makes a page that shows it."""
