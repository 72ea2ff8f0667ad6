"""The one error of the faces: what the person can put right."""


class UserError(Exception):
    """The input is at fault; the message is one clear sentence that says what to do."""
