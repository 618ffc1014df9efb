"""How well a model does, and a page that shows it."""
