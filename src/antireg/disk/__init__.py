"""Files written whole, and folders that go with the process."""
