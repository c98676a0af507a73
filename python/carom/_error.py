"""The one exception of carom, raised by both precisions."""


class Error(ValueError):
    """Says which entity or argument is wrong, what is wrong with it, and what to do."""


Error.__module__ = "carom"
