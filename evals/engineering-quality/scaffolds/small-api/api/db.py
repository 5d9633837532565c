"""One connection, committed after each statement."""

import sqlite3

_connection = sqlite3.connect("small.db", isolation_level=None)


def query(sql, *values):
    return _connection.execute(sql, values).fetchall()


def run(sql, *values):
    return _connection.execute(sql, values).lastrowid
