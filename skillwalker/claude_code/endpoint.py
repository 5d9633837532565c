"""The address that requests go to."""

import unicodedata
from urllib.parse import SplitResult, urlsplit

PUBLIC_API = "https://api.anthropic.com"
NO_ENDPOINT = "ANTHROPIC_BASE_URL is no http or https address; correct or unset it"


def split_endpoint(url: str) -> SplitResult | None:
    """Take a base URL apart, without a login or query in it; None where it cannot be asked.

    White space around it goes too: the clients that the address is for do not mind it.
    """
    url = url.strip()
    if any(unicodedata.category(char) in {"Cc", "Zs"} for char in url):
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        return None
    if not usable:
        return None
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="")
