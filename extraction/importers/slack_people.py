"""Who and which channel the ids in a Slack export mean: its lists beside the folders of days."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from extraction.importers.base import ImportProblem, as_problem
from extraction.importers.errors import AtLine, ImportRefused
from extraction.importers.json_items import Item, read_values
from extraction.importers.source import Member, Source
from extraction.importers.wording import bounded, stable_id

USERS = ("users.json", "org_users.json")
_CHANNELS = ("channels.json", "groups.json", "mpims.json", "dms.json")


def items_of(member: Member) -> Iterator[Item | AtLine]:
    """Yield the items of one of the many files; one that cannot be read costs only itself."""
    try:
        yield from read_values(member)
    except AtLine as error:
        yield error
    except ImportRefused as refused:
        yield AtLine(0, str(refused))


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel, or a direct conversation. ``name`` is empty where only the people name it."""

    external_id: str
    name: str
    members: tuple[str, ...] = ()


@dataclass(slots=True)
class Directory:
    """The people and channels of an export.

    **Cost**: memory for the lists of people and channels, not for what they say.
    """

    names: dict[str, str] = field(default_factory=dict)
    bots: set[str] = field(default_factory=set)
    by_folder: dict[str, Channel] = field(default_factory=dict)
    by_id: dict[str, str] = field(default_factory=dict)
    _shared: Counter[str] = field(default_factory=Counter)

    def read(self, source: Source) -> Iterator[ImportProblem]:
        """Read the lists of the export; yield what is wrong with them."""
        for member in source.members:
            base = member.name.rsplit("/", 1)[-1]
            if source.kind == "file" or base not in {*USERS, *_CHANNELS}:
                continue
            for item in items_of(member):
                if isinstance(item, AtLine):
                    yield as_problem(item, member=member)
                elif isinstance(item.value, Mapping):
                    self._take(item.value, is_user=base in USERS)
        self._shared = Counter(self.names.values())

    def name_of(self, user: str) -> str:
        """Call a person as Slack shows them; with the id where two are called alike."""
        name = self.names.get(user) or bounded(user)
        return f"{name} ({user})" if self._shared[name] > 1 else name

    def is_called(self, name: str) -> bool:
        """Tell whether anybody is called so."""
        return self._shared[name] > 0

    def channel_of(self, channel: str) -> str:
        """Name a channel."""
        return self.by_id.get(channel) or bounded(channel)

    def introduce(self, user: str, profile: object) -> None:
        """Take a person's name from a message where the list lacks them."""
        if user not in self.names and isinstance(profile, Mapping):
            name = _name(profile)
            if name:
                self.names[user] = name
                self._shared[name] += 1

    def _take(self, raw: Mapping[str, object], *, is_user: bool) -> None:
        own_id = raw.get("id")
        if not isinstance(own_id, str) or not own_id.strip():
            return
        if is_user:
            self._take_user(stable_id(own_id), raw)
            return
        name = raw.get("name")
        name = bounded(name) if isinstance(name, str) else ""
        members = raw.get("members")
        listed = members if isinstance(members, list) else []
        people = tuple(one for one in listed if isinstance(one, str))
        channel = Channel(stable_id(own_id), name, people[:20])
        # Channels' folders are called by name, direct conversations' by id.
        self.by_folder.setdefault(name or own_id, channel)
        self.by_folder.setdefault(own_id, channel)
        if name:
            self.by_id[own_id] = name

    def _take_user(self, own_id: str, raw: Mapping[str, object]) -> None:
        if raw.get("is_bot") is True:
            self.bots.add(own_id)
        profile = raw.get("profile")
        shown = _name(profile) if isinstance(profile, Mapping) else ""
        self.names[own_id] = shown or _name(raw) or bounded(own_id)


def _name(raw: Mapping[str, object]) -> str:
    """Give the first name that says anything."""
    for key in ("display_name", "real_name", "name"):
        name = raw.get(key)
        if isinstance(name, str) and name.strip():
            return bounded(name)
    return ""
