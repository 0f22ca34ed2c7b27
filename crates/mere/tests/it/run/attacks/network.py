"""Looks for somebody to talk to."""
import socket, struct

FAMILIES = {"unix": 1, "inet": 2, "ax25": 3, "ipx": 4, "inet6": 10, "netlink": 16, "packet": 17, "rds": 21,
            "can": 29, "tipc": 30, "bluetooth": 31, "alg": 38, "vsock": 40, "kcm": 41, "qipcrtr": 42, "smc": 43,
            "xdp": 44, "mctp": 45}
KINDS = {"stream": 1, "dgram": 2, "raw": 3, "rdm": 4, "seqpacket": 5, "packet": 10}
for family, number in FAMILIES.items():
    for kind, one in KINDS.items():
        attempt(f"a socket {family} {kind}", "EACCES", lambda: socket.socket(number, one))
        if (family, kind) not in (("unix", "stream"), ("unix", "seqpacket")):
            attempt(f"a pair {family} {kind}", ABSENT, lambda: socket.socketpair(number, one))
attempt("a connection", "EACCES", lambda: socket.create_connection(("127.0.0.1", GIVEN["port"]), 1))
attempt("a connection of IPv6", "EACCES", lambda: socket.create_connection(("::1", GIVEN["port"]), 1))

# What a pair may do is to talk to itself.
ADDRESSES = [b"/work/host.sock", b"/work/host.dgram", b"/work/../work/host.dgram", GIVEN["path"].encode(),
             b"\0" + GIVEN["abstract"].encode(), b"\0/" + GIVEN["abstract"].encode()]
SENDTO, CONNECT, BIND, SENDMSG = (44, 42, 49, 46) if IS_X86 else (206, 203, 200, 211)
for kind in ("stream", "seqpacket"):
    one, other = socket.socketpair(socket.AF_UNIX, KINDS[kind])
    for number, address in enumerate(ADDRESSES):
        packed = struct.pack("H", 1) + address
        attempt(f"sendto {number} of {kind}", ABSENT, lambda: call(SENDTO, one.fileno(), b"hello", 5, 0, packed, len(packed)))
        attempt(f"sendmsg {number} of {kind}", ABSENT, lambda: one.sendmsg([b"hello"], [], 0, address))
        attempt(f"connect {number} of {kind}", ABSENT, lambda: one.connect(address))
        attempt(f"bind {number} of {kind}", ABSENT, lambda: one.bind(address))
    inet = struct.pack("=H", 2) + struct.pack("!H4s8x", GIVEN["port"], bytes([127, 0, 0, 1]))
    attempt(f"connect the machine by {kind}", ABSENT, lambda: call(CONNECT, one.fileno(), inet, 16))
    attempt(f"send to the machine by {kind}", ABSENT, lambda: call(SENDTO, one.fileno(), b"hello", 5, 0, inet, 16))
    attempt(f"listen at {kind}", ABSENT, lambda: one.listen())
    attempt(f"accept at {kind}", ABSENT, lambda: one.accept())
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", 1))]
    attempt(f"hide a file in {kind}", ABSENT, lambda: one.sendmsg([b"x"], rights))
    one.send(b"to itself")
    holds(f"a pair of {kind} works", other.recv(80) == b"to itself")
for path in ("/work/host.sock", "/work/host.dgram"):
    attempt(f"open {path}", "ENXIO", lambda: os.open(path, os.O_RDWR))
holds("there is no network", not any(os.path.exists(f"/sys/class/net/{name}") for name in ("eth0", "lo")))
report()
