#!/usr/bin/env python3
"""Makes every package of one `mere` binary. Nothing is built and nothing is uploaded.

    cargo build --release --locked --package mere
    packaging/package.py --binary target/release/mere --out dist

writes, for the platform of the binary:

    mere-VERSION-PLATFORM.tar.gz         the binary, its manual pages and completions, the licences
    merestone-mere-VERSION.tgz           for npm: `npm install -g ./merestone-mere-VERSION.tgz`
    merestone-VERSION-py3-none-TAG.whl   for pip: `pip install ./merestone-….whl`
    mere-VERSION.mcpb                    an MCP bundle
    server.json                          the entry for an MCP registry
    SHA256SUMS

The binary goes into each of them as it is. Timestamps are fixed (SOURCE_DATE_EPOCH, or 1 January 2026), so that the
same binary gives the same bytes. Only Python's standard library is needed.
"""

import argparse
import base64
import gzip
import hashlib
import io
import json
import os
import re
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT", "NOTICE"]
SHELLS = {"bash": "mere.bash", "zsh": "_mere", "fish": "mere.fish"}
# Machine types of ELF, as Python, npm and a person call them.
MACHINES = {62: ("x86_64", "x64"), 183: ("aarch64", "arm64")}
MOMENT = int(os.environ.get("SOURCE_DATE_EPOCH", "1767225600"))


class Binary:
    """A program for Linux: its bytes, what it runs on, and its version."""

    def __init__(self, path):
        self.path = path
        self.data = path.read_bytes()
        if self.data[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"package.py: {path} is not a 64-bit program for Linux")
        (machine,) = struct.unpack_from("<H", self.data, 18)
        if machine not in MACHINES:
            sys.exit(f"package.py: {path} is for a machine that has no packages")
        self.machine, self.npm_cpu = MACHINES[machine]
        self.is_static = not self.has_interpreter()
        self.version = self.run("--version").split()[1]

    def has_interpreter(self):
        """Reports whether the program needs a dynamic loader: a program header of type PT_INTERP."""
        (offset,) = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        kinds = (struct.unpack_from("<I", self.data, offset + size * index)[0] for index in range(count))
        return 3 in kinds

    def glibc(self):
        """Returns the oldest glibc that has every symbol the program asks for, as (2, 34)."""
        found = re.findall(rb"\0GLIBC_(\d+)\.(\d+)(?=[.\0])", self.data)
        return max((int(major), int(minor)) for major, minor in found)

    def wheel_tags(self):
        if self.is_static:
            # A program without a loader runs on both.
            return [f"manylinux_2_17_{self.machine}", f"musllinux_1_1_{self.machine}"]
        return ["manylinux_{}_{}_{}".format(*self.glibc(), self.machine)]

    def platform(self):
        return f"{self.machine}-linux" + ("-static" if self.is_static else "")

    def run(self, *arguments):
        command = [str(self.path.resolve()), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Files:
    """What a package holds: (path, bytes, mode), in a fixed order."""

    def __init__(self):
        self.entries = []

    def add(self, path, data, mode=0o644):
        self.entries.append((path, data.encode() if isinstance(data, str) else data, mode))

    def add_licences(self, folder):
        for name in LICENCES:
            self.add(folder + name, (ROOT / name).read_bytes())

    def write_tar(self, path):
        tar_bytes = io.BytesIO()
        with tarfile.open(fileobj=tar_bytes, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name, data, mode in sorted(self.entries):
                info = tarfile.TarInfo(name)
                info.size, info.mode, info.mtime = len(data), mode, MOMENT
                tar.addfile(info, io.BytesIO(data))
        with open(path, "wb") as file, gzip.GzipFile("", "wb", 6, file, MOMENT) as packed:
            packed.write(tar_bytes.getvalue())

    def write_zip(self, path):
        moment = time.gmtime(MOMENT)[:6]
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for name, data, mode in self.entries:
                info = zipfile.ZipInfo(name, moment)
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
                archive.writestr(info, data)


def read_json(path):
    return json.loads((HERE / path).read_text("utf-8"))


def to_json(value):
    return json.dumps(value, indent=2) + "\n"


def make_archive(binary, out):
    name = f"mere-{binary.version}-{binary.platform()}"
    files = Files()
    files.add(f"{name}/bin/mere", binary.data, 0o755)
    for shell, file in SHELLS.items():
        files.add(f"{name}/completions/{file}", binary.run("completions", shell))
    files.add(f"{name}/man/mere.1", binary.run("man"))
    files.add(f"{name}/README.md", (ROOT / "README.md").read_bytes())
    files.add_licences(f"{name}/")
    path = out / f"{name}.tar.gz"
    files.write_tar(path)
    return path


def make_npm(binary, out):
    """The package's command is the binary itself: no JavaScript is run, at installation or later."""
    manifest = read_json("npm/package.json")
    manifest.update({"version": binary.version, "os": ["linux"], "cpu": [binary.npm_cpu]})
    if not binary.is_static:
        manifest["libc"] = ["glibc"]
    files = Files()
    files.add("package/package.json", to_json(manifest))
    files.add("package/bin/mere", binary.data, 0o755)
    files.add("package/README.md", (HERE / "npm/README.md").read_bytes())
    files.add_licences("package/")
    name = manifest["name"].lstrip("@").replace("/", "-")
    path = out / f"{name}-{binary.version}.tgz"
    files.write_tar(path)
    return path


def make_wheel(binary, out):
    """The binary is a script of the wheel, which pip puts on the path as it is."""
    name, version = "merestone", binary.version
    info, tags = f"{name}-{version}.dist-info", binary.wheel_tags()
    metadata = (HERE / "pypi/METADATA").read_text("utf-8").replace("{version}", version)
    files = Files()
    files.add(f"{name}-{version}.data/scripts/mere", binary.data, 0o755)
    files.add(f"{info}/METADATA", metadata + (HERE / "pypi/README.md").read_text("utf-8"))
    tag_lines = "".join(f"Tag: py3-none-{tag}\n" for tag in tags)
    files.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: package.py\nRoot-Is-Purelib: false\n{tag_lines}")
    files.add_licences(f"{info}/licenses/")
    record = ""
    for path, data, _ in files.entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record += f"{path},sha256={digest},{len(data)}\n"
    files.add(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    path = out / f"{name}-{version}-py3-none-{'.'.join(tags)}.whl"
    files.write_zip(path)
    return path


def make_bundle(binary, out):
    manifest = read_json("mcpb/manifest.json")
    manifest["version"] = binary.version
    files = Files()
    files.add("manifest.json", to_json(manifest))
    files.add("server/mere", binary.data, 0o755)
    files.add_licences("")
    path = out / f"mere-{binary.version}.mcpb"
    files.write_zip(path)
    return path


def make_server_entry(binary, out, bundle):
    entry = read_json("server.json")
    entry["version"] = binary.version
    for package in entry["packages"]:
        package["version"] = binary.version
        if package["registryType"] == "mcpb":
            package["identifier"] = package["identifier"].replace("{version}", binary.version)
            package["fileSha256"] = hashlib.sha256(bundle.read_bytes()).hexdigest()
    path = out / "server.json"
    path.write_text(to_json(entry), "utf-8")
    return path


def main():
    parser = argparse.ArgumentParser(description="Makes every package of one mere binary.")
    parser.add_argument("--binary", type=Path, required=True, help="the program, as cargo built it")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write into")
    options = parser.parse_args()
    binary = Binary(options.binary)
    options.out.mkdir(parents=True, exist_ok=True)
    bundle = make_bundle(binary, options.out)
    made = [make_archive(binary, options.out), make_npm(binary, options.out), make_wheel(binary, options.out), bundle]
    made.append(make_server_entry(binary, options.out, bundle))
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(made))
    (options.out / "SHA256SUMS").write_text(sums, "utf-8")
    needs = "nothing" if binary.is_static else "glibc {}.{} or later".format(*binary.glibc())
    print(f"mere {binary.version} for {binary.machine} Linux; it needs {needs}")
    print(sums, end="")


if __name__ == "__main__":
    main()
