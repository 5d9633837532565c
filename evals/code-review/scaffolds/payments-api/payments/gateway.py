"""Talks to the card gateway."""

import requests

BASE = "https://gateway.example/v2"


class GatewayTimeout(Exception):
    """The gateway gave no answer in time; the call may have succeeded."""


def refund(ref: str, amount: int, request_id: str) -> dict:
    try:
        response = requests.post(
            f"{BASE}/refunds",
            json={"payment": ref, "amount": amount},
            headers={"X-Request-Id": request_id},
            timeout=5,
        )
    except requests.Timeout as error:
        raise GatewayTimeout(str(error)) from error
    response.raise_for_status()
    return response.json()
