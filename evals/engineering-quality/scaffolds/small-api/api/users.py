"""Look up, change and delete users."""

from api import db, log


def find(name):
    return db.query(f"SELECT id, name, email FROM users WHERE name LIKE '%{name}%'")


def update_email(session, user_id, email):
    log.info("user %s changes mail of %s, token %s", session.user, user_id, session.token)
    db.run("UPDATE users SET email = ? WHERE id = ?", email, user_id)


def delete(session, user_id):
    if session.role != "admin" and session.user != user_id:
        raise PermissionError("only admins delete others")
    db.run("DELETE FROM notes WHERE owner = ?", user_id)
    db.run("DELETE FROM users WHERE id = ?", user_id)
