"""Notes of users."""

from api import db

MAX_LENGTH = 10_000


def add(session, text):
    if len(text) > MAX_LENGTH:
        raise ValueError(f"a note has at most {MAX_LENGTH} characters")
    return db.run("INSERT INTO notes (owner, text) VALUES (?, ?)", session.user, text)


def share(session, note_id, other):
    raise NotImplementedError
