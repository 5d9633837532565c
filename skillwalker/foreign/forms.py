"""Forms to copy, for whoever has a file that cannot be read as it is."""

JSON_FORM = '{"query": "fix my tests", "should_trigger": true}'
YAML_FORM = '- {query: "fix my tests", should_trigger: true}'
TABLE_FORM = (
    ("query", "should_trigger"),
    ('"fix my tests, please"', "true"),
    ("tell a joke", "false"),
)
LIST_FORM = "Should trigger:\n  - fix my tests\n  Should not trigger:\n  - tell a joke"


def form_of(ending: str) -> str:
    """Say how a file of an ending is to look, so that it can be copied.

    Args:
        ending: with its dot, in small letters; any.
    """
    match ending:
        case ".csv" | ".tsv":
            mark = "," if ending == ".csv" else "\t"
            rows = "\n".join(f"  {mark.join(row)}" for row in TABLE_FORM)
            return f"write a header and a row for each prompt:\n{rows}"
        case ".txt" | ".md" | ".markdown":
            return f"write two lists under these headings:\n  {LIST_FORM}"
        case ".json":
            return f"write such a list, with an entry for each prompt:\n  [{JSON_FORM}]"
        case ".yaml" | ".yml":
            return f"write such an entry for each prompt:\n  {YAML_FORM}"
        case _:
            return f"write a .jsonl file with such a line for each prompt:\n  {JSON_FORM}"
