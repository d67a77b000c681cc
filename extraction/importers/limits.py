"""How much of a file is taken in, in one place: nothing here is read without a bound."""

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

LINE_LIMIT = 8 * MIB  # one line: a message, or the longest conversation that comes in one line
ITEM_LIMIT = 32 * MIB  # one item of a JSON list: the longest conversation of a large export
DOCUMENT_LIMIT = 16 * MIB  # a JSON document parsed whole; parsed it needs several times that
DEPTH_LIMIT = 200  # brackets within brackets; the deepest export we know has some 20

HEAD_BYTES = 64 * KIB  # what is looked at to tell the encoding
CHUNK_BYTES = MIB  # what is read at once
SNIFFED_LINES = 20  # lines looked at to tell the format
SNIFFED_ITEMS = 20  # items of a list looked at to tell the format
SNIFFED_BYTES = 4 * MIB  # after which no further item is looked at
SNIFFED_MEMBERS = 3  # files of an archive looked at, for each format that may be meant

MEMBER_COUNT_LIMIT = 200_000  # a Slack export has a file per channel and day
MEMBER_LIMIT = 4 * GIB  # one file of an archive, unpacked
TOTAL_LIMIT = 16 * GIB  # all files of an archive, unpacked
RATIO_LIMIT = 200  # unpacked to packed; chats pack to a fifth or a tenth, zip bombs to a thousandth
RATIO_FROM = 10 * MIB  # below this size no ratio is alarming
DIRECTORY_LIMIT = 64 * MIB  # a zip's list of its files, which is read whole
NAME_LIMIT = 1_000  # characters of a file's name in an archive
