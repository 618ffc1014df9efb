"""The files of a stored model: data only, and every value checked."""
