"""Keys, places and checks that need no server."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from workbench import checks, embedded_places, local_secrets
from workbench.embedded_places import Account, Places


def test_every_process_reads_the_secret_the_first_one_wrote(tmp_path: Path) -> None:
    path = tmp_path / "home" / "secret"

    with ThreadPoolExecutor(8) as pool:
        secrets = set(pool.map(local_secrets.read_or_create_secret, [path] * 8))

    assert len(secrets) == 1
    assert len(secrets.pop()) >= 48
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_private_file_is_replaced_whole_and_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "logins.txt"
    for text in ("first", "second"):
        local_secrets.write_private_file(path, text)

    assert path.read_text(encoding="utf-8") == "second"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


class TestSharedBase:
    """Where root keeps the data of a home that no other account can enter."""

    @pytest.fixture(autouse=True)
    def below_tmp(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Use a folder of the test for ``/var/lib``."""
        monkeypatch.setattr(embedded_places, "SHARED_BASE", tmp_path / "var")

    def base_of(self, home: Path) -> Path:
        """Return the home's base, as a first or later start would."""
        home.mkdir(exist_ok=True)
        base = embedded_places.shared_base(home)
        base.mkdir(parents=True, exist_ok=True)
        account = Account(os.getuid(), os.getgid(), switch=True)
        unused = base / "unused"
        places = Places(base, data=unused, binaries=unused, sockets=unused, account=account)
        embedded_places.remember_home(places, home)
        return base

    def test_the_same_home_finds_its_data_again(self, tmp_path: Path) -> None:
        assert self.base_of(tmp_path / "a") == self.base_of(tmp_path / "a")

    def test_a_deleted_home_does_not_come_back_with_old_data(self, tmp_path: Path) -> None:
        before = self.base_of(tmp_path / "a")
        (tmp_path / "a" / "instance").unlink()

        assert self.base_of(tmp_path / "a") != before

    def test_a_moved_home_takes_its_data_along(self, tmp_path: Path) -> None:
        before = self.base_of(tmp_path / "a")
        (tmp_path / "a").rename(tmp_path / "b")

        assert self.base_of(tmp_path / "b") == before

    def test_a_copied_home_gets_data_of_its_own(self, tmp_path: Path) -> None:
        before = self.base_of(tmp_path / "a")
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "instance").write_bytes((tmp_path / "a" / "instance").read_bytes())

        assert self.base_of(tmp_path / "b") != before
        assert self.base_of(tmp_path / "a") == before


def test_an_account_enters_only_where_every_step_lets_it(tmp_path: Path) -> None:
    stranger = Account(uid=os.getuid() + 4711, gid=os.getgid() + 4711, switch=True)
    door = tmp_path / "door"
    (door / "inside").mkdir(parents=True)
    door.chmod(0o700)

    assert not embedded_places.can_enter(stranger, door / "inside")
    assert embedded_places.can_enter(stranger, Path("/usr/bin"))


@pytest.mark.parametrize(
    ("changed", "check", "found"),
    [
        ({"LLM_BASE_URL": "http://x", "LLM_MODEL": ""}, "check_model_endpoints", "workbench.E001"),
        ({"LLM_BASE_URL": "http://x", "LLM_MODEL": "m"}, "check_model_endpoints", None),
        (
            {"EMBEDDING_BASE_URL": "http://x", "EMBEDDING_MODEL": ""},
            "check_embedding_settings",
            "workbench.E002",
        ),
        ({"EMBEDDING_DIMENSIONS": 16_000}, "check_embedding_settings", None),
        ({"EMBEDDING_DIMENSIONS": 16_001}, "check_embedding_settings", "workbench.E005"),
        ({"EMBEDDING_DIMENSIONS": -1}, "check_embedding_settings", "workbench.E005"),
        (
            {"EMBEDDING_NEAR": 0.9, "EMBEDDING_SAME": 0.8},
            "check_embedding_settings",
            "workbench.E006",
        ),
        ({"EMBEDDING_NEAR": 1.2}, "check_embedding_settings", "workbench.E006"),
        ({"EMBEDDING_NEAR": 0.8}, "check_embedding_settings", None),
        ({"EMBEDDING_BATCH": 0}, "check_embedding_settings", "workbench.E007"),
        (
            {"FINGERPRINT_KEYS": {1: "x" * 32, 2: "short"}},
            "check_fingerprint_key",
            "workbench.E004",
        ),
        ({"FINGERPRINT_KEYS": {1: "x" * 32}}, "check_fingerprint_key", None),
    ],
)
def test_settings_that_cannot_work_are_named(
    changed: dict[str, Any], check: str, found: str | None
) -> None:
    with override_settings(**changed):
        messages = getattr(checks, check)(None)

    assert [message.id for message in messages] == ([found] if found else [])


@pytest.mark.parametrize(
    ("default", "owner", "found"),
    [
        (("site", "app"), ("site", "owner"), []),
        (("site", "app"), ("site", "app"), ["workbench.W001"]),
        (("site", "app"), ("other", "owner"), ["workbench.E003"]),
    ],
)
def test_the_two_aliases_are_one_database_under_two_roles(
    default: tuple[str, str], owner: tuple[str, str], found: list[str]
) -> None:
    (name, user), (owner_name, owner_user) = default, owner

    messages = checks.compare_roles(
        {"NAME": name, "USER": user, "HOST": "db"},
        {"NAME": owner_name, "USER": owner_user, "HOST": "db"},
    )

    assert [message.id for message in messages] == found
