"""The errors that a user is meant to read."""


class MerlinError(Exception):
    """A fault of the user's or of the world's, never of the program's.

    The message is complete in itself: it names the file, the key and the value, and says what to do.
    The command line prints it without a traceback and exits with `exit_code`.
    """

    exit_code = 1


class InputError(MerlinError):
    """An experiment file or an argument is wrong; nothing was started or created."""

    exit_code = 2
