"""The command line and environment of a trial: what must be there, and what never."""

from skillwalker.claude_code.command import Access, build_arguments, build_environment

KEY = "sk-ant-marker"


def arguments(*, has_project: bool = False) -> tuple[str, ...]:
    return build_arguments(
        binary="/opt/claude",
        plugin_dirs=("/p/demo", "/p/rival"),
        has_project=has_project,
        model="claude-sonnet-4-5",
        max_turns=4,
    )


def value_of(flag: str, argv: tuple[str, ...]) -> str:
    return argv[argv.index(flag) + 1]


def test_a_plugin_is_measured_without_any_settings() -> None:
    argv = arguments()
    assert argv[:2] == ("/opt/claude", "-p")
    assert value_of("--setting-sources", argv) == ""
    folders = [argv[at + 1] for at, word in enumerate(argv) if word == "--plugin-dir"]
    assert folders == ["/p/demo", "/p/rival"]


def test_a_project_is_measured_with_its_own_files_only() -> None:
    assert value_of("--setting-sources", arguments(has_project=True)) == "project"


def test_limits_model_and_format_are_pinned() -> None:
    argv = arguments()
    assert value_of("--model", argv) == "claude-sonnet-4-5"
    assert value_of("--max-turns", argv) == "4"
    assert value_of("--permission-mode", argv) == "dontAsk"
    assert value_of("--output-format", argv) == "stream-json"
    assert {"--strict-mcp-config", "--no-session-persistence", "--verbose"} <= set(argv)


def test_the_real_listing_and_tools_stay() -> None:
    forbidden = {"--bare", "--safe-mode", "--tools", "--system-prompt", "--disable-slash-commands"}
    assert not forbidden & set(arguments())
    env = build_environment(Access(api_key=KEY), home="/h", temp="/t", path="/bin")
    assert not {"CLAUDE_CODE_DISABLE_ATTACHMENTS", "CLAUDE_CODE_SIMPLE"} & env.keys()
    assert "SLASH_COMMAND_TOOL_CHAR_BUDGET" not in env


def test_logins_and_endpoint_are_handed_over_when_they_are_set() -> None:
    key = build_environment(
        Access(api_key=KEY, base_url="http://h"), home="/h", temp="/t", path="/bin"
    )
    assert (key["ANTHROPIC_API_KEY"], key["ANTHROPIC_BASE_URL"]) == (KEY, "http://h")
    assert "CLAUDE_CODE_OAUTH_TOKEN" not in key
    token = build_environment(Access(oauth_token="t"), home="/h", temp="/t", path="/bin")
    assert token["CLAUDE_CODE_OAUTH_TOKEN"] == "t"
    assert "ANTHROPIC_API_KEY" not in token


def test_variables_of_the_user_cannot_replace_ours() -> None:
    env = build_environment(
        Access(api_key=KEY),
        home="/h",
        temp="/t",
        path="/bin",
        extra={"HOME": "/root", "PATH": "/evil", "HTTPS_PROXY": "http://proxy"},
        listing_budget=80_000,
    )
    assert (env["HOME"], env["PATH"], env["TMPDIR"]) == ("/h", "/bin", "/t")
    assert env["HTTPS_PROXY"] == "http://proxy"
    assert env["SLASH_COMMAND_TOOL_CHAR_BUDGET"] == "80000"


def test_who_pays_is_said_and_no_secret_shows() -> None:
    assert Access(api_key=KEY).payer == "API key"
    assert Access(oauth_token=KEY).payer == "Claude subscription"
    assert Access(auth_token=KEY).payer == "auth token"
    assert not Access().is_set
    assert KEY not in repr(Access(api_key=KEY, auth_token=KEY, oauth_token=KEY))


def test_an_endpoint_is_recorded_without_its_login() -> None:
    assert Access().endpoint == "https://api.anthropic.com"
    assert Access(base_url="http://u:p@127.0.0.1:9/x").endpoint == "http://127.0.0.1:9/x"
