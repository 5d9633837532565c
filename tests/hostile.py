"""Texts that try to be more than text, wherever they are shown."""

import pytest

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": "\"'><img src=http://evil.test/x onerror=alert(1)>",
    "closes the style": "</style></title><script>alert(1)</script>",
    "closes the page": "</pre></details></main></body></html><h1>mine</h1>",
    "template": "{{ 7 * 7 }}{% raw %}{{ policy }}",
    "svg": "<svg onload=alert(1)><style>@import url(http://evil.test)</style></svg>",
    "entities": "&lt;b&gt; &amp; &#60;",
    "link": "javascript:alert(1) [x](http://evil.test) http://evil.test/a.png",
    "markdown": "a|b`c``d `e` **f** <!-- g --> @octocat #1 ![h](http://evil.test/i.png)",
    "fence": "```\n# mine\n~~~\n````diff",
    "workflow": "x\n::error::y%0A::stop-commands::z\r\n::set-output name=a::b",
    "xml": "]]><failure/> <?xml x?> <!DOCTYPE a>",
    "controls": "a\x00b\x1b[31mc\x07d\x7f\x85e\ufffe\uffff",
    "surrogate": "half \ud83d of a pair",
    "bidi": "\u202egnp.exe\u2066 \u200f\u061c",
    "line separators": "a\u2028b\u2029c\x0bd\x0ce\tf",
    "long": "word" * 500,
    "scripts": "コードを レビュー して 검토 مراجعة 🧪",
}
"""By what they try."""

hostile = pytest.mark.parametrize(
    "text", [pytest.param(text, id=name) for name, text in HOSTILE.items()]
)
