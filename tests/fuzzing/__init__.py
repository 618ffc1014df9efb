"""Files as an attacker or a bad disk would leave them: `make fuzz`."""
