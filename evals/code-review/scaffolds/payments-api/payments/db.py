"""Queries on payments and refunds."""

import os
import sqlite3


def connect() -> sqlite3.Connection:
    connection = sqlite3.connect(os.environ.get("PAYMENTS_DB", "payments.db"))
    connection.row_factory = sqlite3.Row
    return connection


def get_payment(payment_id: str) -> sqlite3.Row:
    return connect().execute("SELECT * FROM payments WHERE id = ?", (payment_id,)).fetchone()


def add_refund(payment_id: str, amount: int, reason: str, ref: str) -> None:
    with connect() as connection:
        connection.execute(
            "INSERT INTO refunds (payment_id, amount, reason, gateway_ref) VALUES (?, ?, ?, ?)",
            (payment_id, amount, reason, ref),
        )


def refunded_total(payment_id: str) -> int:
    row = connect().execute(
        "SELECT COALESCE(SUM(amount), 0) AS total FROM refunds WHERE payment_id = ?", (payment_id,)
    ).fetchone()
    return row["total"]


def recent_refunds(limit: int) -> list[sqlite3.Row]:
    return connect().execute("SELECT * FROM refunds ORDER BY id DESC LIMIT ?", (limit,)).fetchall()
