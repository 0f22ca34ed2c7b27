"""A FUSE file system that shows a folder read-only, and ignores upper and lower case.

Usage: mirror.py BACKING MOUNT
"""

import errno
import os
import struct
import subprocess
import sys
import threading
import time

BACKING, MOUNT = sys.argv[1:3]
LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, INIT = 1, 2, 3, 14, 15, 17, 18, 26
OPENDIR, READDIR, RELEASEDIR, BATCH_FORGET = 27, 28, 29, 42
DIRECT_IO = 1

paths = {1: BACKING}


def node(path):
    """Returns the number of a path."""
    for number, known in paths.items():
        if known == path:
            return number
    number = len(paths) + 1
    paths[number] = path
    return number


def attributes(path):
    at = os.lstat(path)
    times = [int(at.st_atime), int(at.st_mtime), int(at.st_ctime)]
    nanos = [at.st_atime_ns, at.st_mtime_ns, at.st_ctime_ns]
    return struct.pack(
        "<6Q10I", node(path), at.st_size, at.st_blocks, *times,
        *[one % 10**9 for one in nanos], at.st_mode, at.st_nlink, 0, 0, 0, 4096, 0,
    )


def find(folder, name):
    """Finds a name in a folder, whatever its case."""
    for one in os.listdir(folder):
        if one.lower() == name.lower():
            return os.path.join(folder, one)
    raise FileNotFoundError(errno.ENOENT, name)


def entries(folder, offset, size):
    listed, number = b"", 0
    for number, name in enumerate([".", ".."] + sorted(os.listdir(folder)), 1):
        kind = 4 if os.path.isdir(os.path.join(folder, name)) else 8
        raw = name.encode()
        one = struct.pack("<QQII", 1, number, len(raw), kind) + raw
        one += b"\0" * (-len(one) % 8)
        if number <= offset:
            continue
        if len(listed) + len(one) > size:
            break
        listed += one
    return listed


def answer(code, number, body):
    path = paths.get(number, BACKING)
    if code == INIT:
        readahead = struct.unpack_from("<3I", body)[2]
        return struct.pack("<4I2H2I2H8I", 7, 31, readahead, 0, 8, 8, 4096, 1, 1, 0, *[0] * 8)
    if code == GETATTR:
        return struct.pack("<QII", 0, 0, 0) + attributes(path)
    if code == LOOKUP:
        found = find(path, body.split(b"\0")[0].decode())
        return struct.pack("<4QII", node(found), 0, 0, 0, 0, 0) + attributes(found)
    if code in (OPEN, OPENDIR):
        return struct.pack("<QII", 0, DIRECT_IO if code == OPEN else 0, 0)
    if code in (READ, READDIR):
        _, offset, size = struct.unpack_from("<QQI", body)
        if code == READDIR:
            return entries(path, offset, size)
        with open(path, "rb") as file:
            file.seek(offset)
            return file.read(size)
    if code == STATFS:
        return struct.pack("<5Q4I6I", 1 << 20, 0, 0, 1 << 20, 0, 4096, 255, 4096, *[0] * 7)
    if code in (RELEASE, RELEASEDIR):
        return b""
    raise OSError(errno.ENOSYS, "not supported")


def end_with(parent):
    """Ends this process when the one that started it has ended, however that was."""
    while os.getppid() == parent:
        time.sleep(0.1)
    os._exit(0)


threading.Thread(target=end_with, args=[os.getppid()], daemon=True).start()
device = os.open("/dev/fuse", os.O_RDWR)
options = f"ro,fd={device},rootmode=40000,user_id=0,group_id=0"
subprocess.Popen(["mount", "-i", "-t", "fuse", "-o", options, "mirror", MOUNT], pass_fds=[device])
while True:
    try:
        request = os.read(device, 1 << 20)
    except PermissionError:  # It is not mounted yet.
        time.sleep(0.01)
        continue
    length, code, unique, number = struct.unpack_from("<IIQQ", request)
    if code in (FORGET, BATCH_FORGET):
        continue
    try:
        reply, error = answer(code, number, request[40:length]), 0
    except OSError as failure:
        reply, error = b"", -failure.errno
    os.write(device, struct.pack("<IiQ", 16 + len(reply), error, unique) + reply)
