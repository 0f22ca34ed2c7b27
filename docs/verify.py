#!/usr/bin/env python3
"""Checks signed items without `mere`: their signatures, their location and their bytes.

    python3 verify.py --key ada.pub .ai
    python3 verify.py --key ada.pub --key ben.pub .ai/tools/api/deploy.yaml
    python3 verify.py --key ada.pub --base .claude/skills .claude/skills/greet

A PATH is a space (the folder `.ai`), the main file of an item, or the folder of a folder item. A key is a
file with one line `ssh-ed25519 AAAA…`, as `mere keys export` prints it. One line is printed for each item:
its status, its path, and why. The exit status is 0 if every item is verified, 1 if one is not, 2 for wrong
usage. Only Python's standard library (3.9 or later) is needed.

This is the reading half of docs/format.md, steps 1 to 4 of "Order of checks": everything that is signed, byte by
byte. It does not parse items (step 5), knows no roster, and remembers nothing.
"""

import argparse
import base64
import hashlib
import json
import re
import stat
import sys
from pathlib import Path

MAX_FILE = 1024 * 1024  # a sidecar or the main file of an item, in bytes
MAX_ALL_FILES = 64 * 1024 * 1024
MAX_FILES = 1000
TYPES = {"directives": "directive", "tools": "tool", "knowledge": "knowledge", "lockfiles": "lockfile"}
FOLDER_MAIN_FILES = {"directive": "SKILL.md", "tool": "manifest.yaml"}
ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
RESERVED = re.compile(r"con|prn|aux|nul|manifest|com[1-9]|lpt[1-9]")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Refused(Exception):
    """An item that is not verified: its status, and the reason."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


class Malformed(Exception):
    """Signed data that does not have the form it must have."""


# Ed25519 as in RFC 8032, section 5.1, strict: everything has one spelling, and no point has a small order.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)


def add_points(a, b):
    """Adds two points in extended coordinates (X, Y, Z, T)."""
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = f - e, h - g, h + g, f + e
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply_point(scalar, point):
    result = NEUTRAL
    while scalar:
        if scalar & 1:
            result = add_points(result, point)
        point = add_points(point, point)
        scalar >>= 1
    return result


def are_equal(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def decode_point(data):
    """Decodes a point; None if the bytes are none, or one of small order, or not its only spelling."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * SQRT_M1 % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    point = (x, y, 1, x * y % P)
    return None if are_equal(multiply_point(8, point), NEUTRAL) else point


BASE_POINT = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signature_valid(key, message, signature):
    public, commitment = decode_point(key), decode_point(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if public is None or commitment is None or scalar >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    expected = add_points(commitment, multiply_point(challenge, public))
    return are_equal(multiply_point(scalar, BASE_POINT), expected)


# Keys in OpenSSH's format.


def read_key(path):
    """Reads a public key file: its fingerprint, and its 32 bytes."""
    words = Path(path).read_text("utf-8").split()
    if len(words) < 2 or words[0] != "ssh-ed25519":
        sys.exit(f"verify.py: {path} has no line `ssh-ed25519 AAAA…`")
    wire = decode_base64(words[1])
    head = b"\0\0\0\x0bssh-ed25519\0\0\0\x20"
    if len(wire) != len(head) + 32 or not wire.startswith(head) or decode_point(wire[-32:]) is None:
        sys.exit(f"verify.py: {path} is not an Ed25519 key")
    digest = base64.b64encode(hashlib.sha256(wire).digest()).decode().rstrip("=")
    return "SHA256:" + digest, wire[-32:]


# JSON: strict, and canonical where it is signed.


def reject(reason):
    raise Malformed(reason)


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    return dict(pairs) if len(set(keys)) == len(keys) else reject("a key occurs twice")


def parse_json(data):
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=unique_keys,
            parse_constant=lambda name: reject(f"{name} is not JSON"),
        )
        # Half of a surrogate pair is no character.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
    except (ValueError, RecursionError) as error:
        raise Malformed("it is not JSON") from error


def parse_canonical(data):
    value = parse_json(data)
    if json.dumps(value, sort_keys=True, separators=(",", ":")).encode() != data:
        raise Malformed("a payload is not canonical JSON")
    return value


def take_fields(value, required, optional=()):
    """Checks that an object has these fields and no others."""
    if not isinstance(value, dict) or not set(required) <= set(value) <= set(required) | set(optional):
        raise Malformed("an object has other fields than it must have")
    return value


def take_text(value, form=None):
    if not isinstance(value, str) or (form and not form.fullmatch(value)):
        raise Malformed("a field does not have the right form")
    return value


def decode_base64(text):
    """Decodes base64 with padding, in either alphabet, in its only spelling."""
    for decode, encode in (
        (base64.b64decode, base64.b64encode),
        (base64.urlsafe_b64decode, base64.urlsafe_b64encode),
    ):
        try:
            data = decode(text.encode("ascii"))
        except (ValueError, UnicodeError):
            continue
        if encode(data).decode() == text:
            return data
    raise Malformed("a field is not base64")


# The sidecar.


class Envelope:
    """A DSSE envelope: a payload, and who signed it."""

    def __init__(self, value, name):
        take_fields(value, ["payloadType", "payload", "signatures"])
        kind = f"application/vnd.merestone.{name}.v1+json"
        if value["payloadType"] != kind:
            raise Malformed("a payload has the wrong type")
        self.payload = decode_base64(take_text(value["payload"]))
        self.message = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(self.payload), self.payload)
        signatures = value["signatures"]
        if not isinstance(signatures, list) or not 1 <= len(signatures) <= 32:
            raise Malformed("an envelope has between 1 and 32 signatures")
        self.signatures = []
        for one in signatures:
            take_fields(one, ["keyid", "sig"])
            keyid = take_text(one["keyid"], re.compile(r"SHA256:[A-Za-z0-9+/]{43}"))
            decode_base64(keyid[len("SHA256:") :] + "=")
            signature = decode_base64(take_text(one["sig"]))
            if len(signature) != 64:
                raise Malformed("a signature has 64 bytes")
            self.signatures.append((keyid, signature))

    def check(self, keys):
        """Checks every signature by a known key. Returns whether there is one."""
        known = [(keys[name], signature) for name, signature in self.signatures if name in keys]
        if not all(is_signature_valid(key, self.message, signature) for key, signature in known):
            raise Refused("bad-signature", "a signature was not made by the key that it names")
        return bool(known)


class Sidecar:
    """Both envelopes, with what they say."""

    def __init__(self, data):
        value = take_fields(parse_json(data), ["statement", "placement"], ["proof"])
        self.author = Envelope(value["statement"], "statement")
        self.installer = Envelope(value["placement"], "placement")
        self.statement = parse_statement(self.author.payload)
        self.placement = parse_placement(self.installer.payload)
        digest = "sha256:" + hashlib.sha256(self.author.payload).hexdigest()
        if self.placement["statement"] != digest:
            raise Malformed("the placement belongs to another statement")


def check_version(value):
    # In Python, True and 1.0 equal 1.
    if type(value["v"]) is not int or value["v"] != 1:
        raise Malformed("an unsupported version of the format")


def parse_statement(data):
    fields = ["v", "type", "id", "version", "category", "integrity", "files", "created"]
    value = take_fields(parse_canonical(data), fields, ["executor"])
    check_version(value)
    for name in ("type", "id", "version", "category"):
        take_text(value[name])
    take_text(value.get("executor", "none"), ID)
    take_text(value["integrity"], re.compile("[0-9a-f]{64}"))
    take_text(value["created"], TIME)
    if not isinstance(value["files"], list) or not value["files"]:
        raise Malformed("the list of files is empty")
    for file in value["files"]:
        take_fields(file, ["path", "sha256", "size"])
        take_text(file["path"])
        take_text(file["sha256"], re.compile("[0-9a-f]{64}"))
        if type(file["size"]) is not int or not 0 <= file["size"] < 2**64:
            raise Malformed("a size is not a number of bytes")
    paths = [file["path"].encode() for file in value["files"]]
    if paths != sorted(set(paths)):
        raise Malformed("the list of files is not sorted")
    return value


def parse_placement(data):
    fields = ["v", "statement", "scope", "space_id", "base", "origin", "created"]
    value = take_fields(parse_canonical(data), fields)
    check_version(value)
    for name in ("statement", "scope", "space_id", "base"):
        take_text(value[name])
    if not value["space_id"]:
        raise Malformed("a placement names no space")
    take_text(value["created"], TIME)
    if value["origin"] is not None:
        origin = take_fields(value["origin"], ["registry_id", "namespace", "version"])
        for name in origin:
            take_text(origin[name])
    return value


# Items on disk.


class Item:
    """An item by the path of its main file."""

    def __init__(self, main, place):
        self.main, self.kind, self.folder = main, place.kind, main.parent
        self.is_folder_item = main.name == FOLDER_MAIN_FILES.get(self.kind)
        self.version = None
        levels = main.relative_to(place.top).parts[:-1]
        if self.is_folder_item and levels:
            *levels, self.id = levels
        elif self.kind == "lockfile":
            self.id, _, self.version = main.name[: -len(".lock.json")].partition("@")
        else:
            self.id = main.stem
        self.category = "/".join(levels)
        self.sidecar = self.folder / (".sig" if self.is_folder_item else main.name + ".sig")
        names = [*levels, self.id]
        if len(names) > 9 or not all(ID.fullmatch(name) and not RESERVED.fullmatch(name) for name in names):
            raise Refused("wrong-location", "an id or a category does not have the right form")

    def read_files(self):
        """Returns the digest and the size of every file by its path, without the sidecar."""
        paths = [self.main]
        if self.is_folder_item:
            paths = [path for path in self.folder.rglob("*") if not path.is_dir() or path.is_symlink()]
        elif self.kind == "tool":
            beside = self.folder.glob(self.id + ".*")
            paths = [path for path in beside if not path.is_dir() or path.is_symlink()]
        paths = [path for path in paths if path != self.sidecar]
        if len(paths) > MAX_FILES + 1:
            raise Refused("wrong-files", "it has more than 1,000 files")
        files, left = {}, MAX_ALL_FILES
        for path in paths:
            data = read_regular_file(path, MAX_FILE if path == self.main else left)
            left -= len(data)
            name = path.relative_to(self.folder).as_posix()
            files[name] = (hashlib.sha256(data).hexdigest(), len(data))
        return files


def read_regular_file(path, limit):
    if not stat.S_ISREG(path.lstat().st_mode):
        raise Refused("wrong-files", f"{path.name} is a link or a special file")
    with open(path, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise Refused("wrong-files", f"{path.name} is too large")
    return data


def read_sidecar(item):
    try:
        data = read_regular_file(item.sidecar, MAX_FILE)
    except FileNotFoundError:
        raise Refused("unsigned", "there is no signature") from None
    except Refused as error:
        raise Refused("bad-signature", str(error)) from None
    try:
        return Sidecar(data)
    except Malformed as error:
        raise Refused("bad-signature", str(error)) from None


def verify(item, placed, keys):
    """Checks an item in the order of docs/format.md. `placed` is the scope, space and base that it lies in."""
    sidecar = read_sidecar(item)
    is_known = [envelope.check(keys) for envelope in (sidecar.author, sidecar.installer)]
    stated = {"type": item.kind, "id": item.id, "category": item.category}
    for signed, facts in ((sidecar.statement, stated), (sidecar.placement, placed)):
        for name, found in facts.items():
            if signed[name] != found:
                raise Refused("wrong-location", f"{name}: signed for {signed[name]!r}, found {found!r}")
    if item.version is not None and item.version != sidecar.statement["version"]:
        raise Refused("wrong-version", f"signed for {sidecar.statement['version']}, found {item.version}")
    signed = {file["path"]: (file["sha256"], file["size"]) for file in sidecar.statement["files"]}
    found = item.read_files()
    if set(signed) != set(found):
        raise Refused("wrong-files", "added or missing: " + ", ".join(sorted(set(signed) ^ set(found))))
    changed = [path for path in sorted(signed) if signed[path] != found[path]]
    if changed:
        raise Refused("changed", ", ".join(changed))
    if not all(is_known):
        raise Refused("unknown-key", ", ".join(name for name, _ in sidecar.author.signatures))


# Finding items.


def is_main_file(path, place):
    """Reports whether a file is the main file of an item, and not a file of a folder item around it."""
    folder_main = FOLDER_MAIN_FILES.get(place.kind)
    around = path.parent.parent if path.name == folder_main else path.parent
    while folder_main and place.top in around.parents:
        if (around / folder_main).is_file():
            return False
        around = around.parent
    endings = {"tool": ".yaml", "lockfile": ".lock.json"}
    return path.name.endswith(endings.get(place.kind, ".md"))


class Place:
    """Where items lie: the folder that their categories start from, their type, and their space."""

    def __init__(self, path, base):
        parts = path.parts
        wanted = Path(base).parts if base else (".ai",)
        for end in range(len(parts), len(wanted) - 1, -1):
            if parts[end - len(wanted) : end] != wanted:
                continue
            if base:
                self.top, self.kind = Path(*parts[:end]), "directive"
                self.base, self.space = base, Path(*parts[: end - len(wanted)]) / ".ai"
                return
            if end < len(parts) and parts[end] in TYPES:
                self.top, self.kind = Path(*parts[: end + 1]), TYPES[parts[end]]
                self.base, self.space = parts[end], Path(*parts[:end])
                return
        wanted = base or "a space; for skills that are used in place, name their folder with --base"
        sys.exit(f"verify.py: {path} is not in {wanted}")


def find_items(path, base):
    """Yields the main file of each item at or below a path, and each sidecar whose item is missing."""
    if path.name == ".ai" and not base:
        for folder in sorted(TYPES):
            if (path / folder).is_dir():
                yield from find_items(path / folder, base)
        return
    place = Place(path, base)
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.name.endswith(".sig"):
            owner = owner_of(file, place)
            # A name that ends in .sig inside a folder item is one of its files.
            if file == path or not owner.exists() and is_main_file(owner, place):
                yield (owner if owner.exists() else file), place
        elif file == path or (is_main_file(file, place) and not file.is_dir()):
            yield file, place


def owner_of(sidecar, place):
    """Returns the main file of the item that a sidecar belongs to."""
    name = sidecar.name[: -len(".sig")] or FOLDER_MAIN_FILES.get(place.kind, "none.md")
    return sidecar.with_name(name)


def check_one(main, place, scope, keys):
    """Returns the status of an item, and the reason."""
    try:
        if main.name.endswith(".sig"):
            raise Refused("orphaned-signature", "its item is missing: it was moved, renamed or deleted")
        space = parse_json(read_regular_file(place.space / "space.json", MAX_FILE))
        found = {"scope": scope, "space_id": space.get("space_id"), "base": place.base}
        verify(Item(main, place), found, keys)
        return "verified", ""
    except Refused as error:
        return error.status, str(error)
    except (Malformed, OSError) as error:
        return "unreadable", str(error)


def main():
    parser = argparse.ArgumentParser(description="Checks signed items without mere.")
    parser.add_argument("--key", action="append", required=True, help="a public key file that counts")
    parser.add_argument("--scope", choices=["project", "user"], default="project", help="whose space it is")
    parser.add_argument("--base", help="a folder whose skills are used in place, such as .claude/skills")
    parser.add_argument("path", nargs="+", type=Path, help="a space, or an item")
    options = parser.parse_args()
    keys = dict(read_key(path) for path in options.key)
    all_verified, count = True, 0
    for path in options.path:
        if not path.exists():
            parser.error(f"{path} does not exist")
        absolute = path.parent.resolve() / path.name if path.name else path.resolve()
        for file, place in find_items(absolute, options.base):
            status, reason = check_one(file, place, options.scope, keys)
            print(f"{status} {file}" + (f": {reason}" if reason else ""))
            all_verified, count = all_verified and status == "verified", count + 1
    if not count:
        parser.error("there is no item")
    sys.exit(0 if all_verified else 1)


if __name__ == "__main__":
    main()
