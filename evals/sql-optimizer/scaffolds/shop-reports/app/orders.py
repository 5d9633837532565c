"""The order list of the back office."""

from app.models import Order


def order_list(session, page):
    rows = []
    for order in session.query(Order).order_by(Order.ordered_at.desc()).limit(100).offset(page * 100):
        rows.append(
            {
                "id": order.id,
                "customer": order.customer.email,
                "total": sum(item.quantity * item.price for item in order.items),
            }
        )
    return rows
