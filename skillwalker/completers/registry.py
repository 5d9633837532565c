"""Name to completer: the only list of who can be asked, as improver or as judge."""

from collections.abc import Mapping, Sequence

from skillwalker.claude_code.command import Access
from skillwalker.completers.api import AnthropicCompleter
from skillwalker.completers.cli import CliCompleter
from skillwalker.completers.protocol import Completer
from skillwalker.completers.simulated import SimulatedCompleter
from skillwalker.config import MAX_PAUSE, Login
from skillwalker.engines.registry import EngineSettings
from skillwalker.errors import CompletionError, ConfigError
from skillwalker.prices import Price, prices_by_model
from skillwalker.settings import PriceSettings


def open_completer(
    name: str,
    *,
    model: str,
    login: Login,
    settings: EngineSettings | None = None,
    prices: Sequence[PriceSettings] = (),
    checked: bool = True,
    role: str = "improver",
    max_pause: float = MAX_PAUSE,
) -> Completer:
    """Choose who is asked for better descriptions or for grades; nothing is asked yet.

    Args:
        name: as written after `--improver` or `--judge`.
        model: an alias or a full id.
        login: of whoever is asked.
        settings: where the CLI and a place for its home are.
        prices: of the project's settings.
        checked: whether to see now that the CLI and a login are there.
        role: improver or judge, for the words of errors.
        max_pause: seconds that the API may let one question wait, beside its answer.

    Raises:
        ConfigError: there is no completer of that name, or it lacks its login or program.
    """
    override = prices_by_model(prices)
    match name:
        case "simulated":
            return SimulatedCompleter()
        case "api":
            return AnthropicCompleter(
                model=model,
                api_key=login.api_key,
                auth_token=login.auth_token,
                base_url=login.base_url,
                prices=override,
                role=role,
                max_pause=max_pause,
            )
        case "cli":
            return _open_cli(model, login, settings, prices=override, checked=checked, role=role)
        case _:
            raise ConfigError(
                f"--{role}: there is no {role} {name!r}; choose one of: api, cli, simulated"
            )


def _open_cli(
    model: str,
    login: Login,
    settings: EngineSettings | None,
    *,
    prices: Mapping[str, Price],
    checked: bool,
    role: str,
) -> CliCompleter:
    """Tell the CLI's completer what the engines are told."""
    if settings is None:
        raise ConfigError(f"{role} cli needs engine settings: PATH and a temporary folder")
    completer = CliCompleter(
        model=model,
        access=Access(
            api_key=login.api_key,
            auth_token=login.auth_token,
            oauth_token=login.oauth_token,
            base_url=login.base_url,
        ),
        temp_root=settings.temporary,
        path=settings.path,
        claude=settings.claude,
        extra_env=settings.engine_env,
        prices=prices,
        role=role,
    )
    try:
        if checked:
            completer.find()
    except CompletionError as error:
        raise ConfigError(str(error)) from error
    return completer
