"""The files of a saved model: data only, and every value checked."""
