"""What a row is: in memory, on disk, checked, scaled, held out."""
