import pytest

from bot.contracts.address import is_loopback, is_overheard, is_this_machine

HERE = ("localhost", "127.0.0.1", "127.1.2.3", "::1")
ELSEWHERE = ("", "0", "::", "10.0.0.1", "localhost.evil.test", "127.0.0.1.evil.test", "1")


@pytest.mark.parametrize("host", HERE)
def test_what_binds_to_this_machine_alone(host: str) -> None:
    assert is_loopback(host)
    assert is_this_machine(host)


@pytest.mark.parametrize("host", ELSEWHERE)
def test_what_others_may_reach_or_answer(host: str) -> None:
    assert not is_loopback(host)
    assert not is_this_machine(host)


def test_a_name_below_localhost_stays_here_but_a_resolver_may_bind_it_elsewhere() -> None:
    assert is_this_machine("model.localhost")
    assert not is_loopback("model.localhost")


@pytest.mark.parametrize("host", [*HERE, "model.localhost", "LOCALHOST"])
def test_what_goes_to_this_machine_is_overheard_by_nobody(host: str) -> None:
    where = f"[{host}]" if ":" in host else host
    assert not is_overheard(f"http://{where}:11434/v1")


@pytest.mark.parametrize("host", ["10.0.0.1", "[2001:db8::1]", "models.example", "127.0.0.1.x"])
def test_what_goes_elsewhere_is_overheard_unless_it_is_encrypted(host: str) -> None:
    assert is_overheard(f"http://{host}/v1")
    assert is_overheard(f"HTTP://{host}:8080")
    assert not is_overheard(f"https://{host}/v1")
