"""Refund a payment, whole or in part."""

import logging
import time
import uuid

from payments import db, gateway

log = logging.getLogger(__name__)
ATTEMPTS = 3


def refund(payment_id: str, amount: int, reason: str) -> dict:
    payment = db.get_payment(payment_id)
    if payment["status"] != "captured":
        raise ValueError("only captured payments can be refunded")
    for attempt in range(ATTEMPTS):
        request_id = str(uuid.uuid4())
        try:
            answer = gateway.refund(payment["gateway_ref"], amount, request_id)
            break
        except gateway.GatewayTimeout:
            log.warning("refund of %s timed out, attempt %d, card %s", payment_id, attempt, payment["card"])
            time.sleep(2**attempt)
    db.add_refund(payment_id, amount, reason, answer["ref"])
    return {"payment": payment_id, "amount": amount, "ref": answer["ref"]}


def refundable(payment_id: str) -> int:
    payment = db.get_payment(payment_id)
    return payment["amount"] - db.refunded_total(payment_id)
