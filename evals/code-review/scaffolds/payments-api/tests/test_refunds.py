from payments import db, gateway, refunds


def test_refund_is_recorded(monkeypatch):
    recorded = []
    payment = {"status": "captured", "gateway_ref": "g1", "card": "4242", "amount": 500}
    monkeypatch.setattr(db, "get_payment", lambda payment_id: payment)
    monkeypatch.setattr(gateway, "refund", lambda ref, amount, request_id: {"ref": "r1"})
    monkeypatch.setattr(db, "add_refund", lambda *row: recorded.append(row))
    assert refunds.refund("p1", 200, "damaged")["ref"] == "r1"
    assert recorded == [("p1", 200, "damaged", "r1")]
