"""The training loop, its state, what is written of it and who watches."""
