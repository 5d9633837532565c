"""HTTP endpoints for payments and refunds."""

from flask import Flask, jsonify, request

from payments import db, refunds

app = Flask(__name__)


@app.get("/payments/<payment_id>")
def show_payment(payment_id):
    row = db.connect().execute(
        f"SELECT id, amount, currency, status FROM payments WHERE id = '{payment_id}'"
    ).fetchone()
    if row is None:
        return jsonify(error="no such payment"), 404
    return jsonify(dict(row))


@app.post("/payments/<payment_id>/refunds")
def create_refund(payment_id):
    body = request.get_json()
    result = refunds.refund(payment_id, int(body["amount"]), body.get("reason", ""))
    return jsonify(result), 201


@app.get("/refunds")
def list_refunds():
    limit = int(request.args.get("limit", 50))
    return jsonify([dict(r) for r in db.recent_refunds(limit)])


if __name__ == "__main__":
    app.run(port=8080, debug=True)
