"""What a target raises, and nothing else does."""


class Unsound(Exception):
    """A file gave an answer that is no answer, or one it must not give."""
