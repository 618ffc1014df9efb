"""Files written whole, and temporary folders that are deleted with their process."""
