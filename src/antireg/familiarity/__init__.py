"""From the score of a row to whether it is out of distribution."""
