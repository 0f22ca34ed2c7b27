# What a tool with one granted host tries besides asking the proxy for it. It is given the port of
# a server on the machine, which it must not reach, and the name of an abstract socket.
import errno
import json
import os
import socket
import sys

given = json.load(sys.stdin)
wrong = []
tries = 0
REFUSED = {
    errno.EACCES, errno.EPERM, errno.ENOSYS, errno.ECONNREFUSED, errno.ENETUNREACH,
    errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.EINVAL, errno.EISCONN,
}


def refused(name, action):
    global tries
    tries += 1
    try:
        action()
    except socket.gaierror:
        return
    except OSError as error:
        if error.errno in REFUSED:
            return
        wrong.append(f"{name}: {error}")
    else:
        wrong.append(f"{name}: it worked")


def tcp(family=socket.AF_INET):
    made = socket.socket(family, socket.SOCK_STREAM)
    made.settimeout(20)
    return made


STREAM, DGRAM, RAW, SEQ = socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET
for family, kind, protocol in [
    (socket.AF_UNIX, STREAM, 0),
    (socket.AF_UNIX, DGRAM, 0),
    (socket.AF_UNIX, SEQ, 0),
    (socket.AF_INET, DGRAM, 0),
    (socket.AF_INET6, DGRAM, 0),
    (socket.AF_INET, DGRAM, socket.IPPROTO_ICMP),
    (socket.AF_INET, RAW, socket.IPPROTO_TCP),
    (socket.AF_INET6, RAW, socket.IPPROTO_TCP),
    (socket.AF_INET, SEQ, 132),
    (socket.AF_INET, STREAM, 132),
    (socket.AF_INET, STREAM, 262),
    (socket.AF_NETLINK, RAW, 0),
    (socket.AF_NETLINK, DGRAM, 0),
    (socket.AF_PACKET, RAW, 0),
    (socket.AF_PACKET, DGRAM, 0),
    (40, STREAM, 0),
    (16, STREAM, 0),
    (38, SEQ, 0),
]:
    refused(f"socket({family}, {kind}, {protocol})", lambda: socket.socket(family, kind, protocol))

port = given["port"]
for family, address in [
    (socket.AF_INET, ("127.0.0.1", port)),
    (socket.AF_INET, ("127.0.0.1", 22)),
    (socket.AF_INET, ("127.0.0.1", 53)),
    (socket.AF_INET, ("127.0.0.2", 3128)),
    (socket.AF_INET, ("0.0.0.0", port)),
    (socket.AF_INET, ("10.0.0.1", 3128)),
    (socket.AF_INET, ("169.254.169.254", 80)),
    (socket.AF_INET, ("8.8.8.8", 53)),
    (socket.AF_INET, ("8.8.8.8", 3128)),
    (socket.AF_INET6, ("::1", port)),
    (socket.AF_INET6, ("::1", 3128)),
    (socket.AF_INET6, ("::ffff:127.0.0.1", port)),
    (socket.AF_INET6, ("2001:4860:4860::8888", 53)),
]:
    refused(f"connect {address}", lambda: tcp(family).connect(address))

for address in [("127.0.0.1", 0), ("127.0.0.1", 8080), ("0.0.0.0", 0)]:
    refused(f"bind {address}", lambda: tcp().bind(address))
refused("listen", lambda: tcp().listen())
refused("sendto", lambda: tcp().sendto(b"x", ("127.0.0.1", port)))
refused("fast open", lambda: tcp().sendto(b"x", socket.MSG_FASTOPEN, ("127.0.0.1", 3128)))
pair = socket.socketpair()
refused("sendmsg", lambda: pair[0].sendmsg([b"x"]))
refused("a handle", lambda: socket.send_fds(pair[0], [b"x"], [0]))
refused("an abstract socket", lambda: pair[0].connect("\0" + given["abstract"]))
for name in ["example.com", "localhost.example", given.get("host", "a.example")]:
    refused(f"resolve {name}", lambda: socket.getaddrinfo(name, 80, type=STREAM))


def ask(text):
    """Asks the proxy, and returns the first line of its answer."""
    with tcp() as proxy:
        proxy.connect(("127.0.0.1", 3128))
        proxy.sendall(text.encode("latin-1"))
        answer = b""
        while b"\r\n" not in answer:
            part = proxy.recv(4096)
            if not part:
                break
            answer += part
    return answer.split(b"\r\n")[0].decode()


for text, status in [
    (f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n", "403"),
    (f"CONNECT localhost:{port} HTTP/1.1\r\n\r\n", "403"),
    ("CONNECT 127.0.0.1:3128 HTTP/1.1\r\n\r\n", "403"),
    ("CONNECT 169.254.169.254:80 HTTP/1.1\r\n\r\n", "403"),
    (f"CONNECT [::1]:{port} HTTP/1.1\r\n\r\n", "403"),
    (f"CONNECT [::ffff:127.0.0.1]:{port} HTTP/1.1\r\n\r\n", "403"),
    (f"CONNECT 2130706433:{port} HTTP/1.1\r\n\r\n", "400"),
    (f"CONNECT 127.1:{port} HTTP/1.1\r\n\r\n", "400"),
    (f"CONNECT 127.0.0.1.:{port} HTTP/1.1\r\n\r\n", "400"),
    (f"CONNECT {given['granted']}@127.0.0.1:{port} HTTP/1.1\r\n\r\n", "400"),
    (f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: {given['granted']}\r\n\r\n", "403"),
    (f"GET http://{given['granted']}@127.0.0.1:{port}/ HTTP/1.1\r\n\r\n", "400"),
    (f"GET http://{given['granted']}\\@127.0.0.1:{port}/ HTTP/1.1\r\n\r\n", "400"),
    (f"GET /x HTTP/1.1\r\nHost: {given['granted']}\r\n\r\n", "400"),
    ("GET file:///etc/passwd HTTP/1.1\r\n\r\n", "400"),
    ("GET http://a.example/ HTTP/1.1\nX: y\r\n\r\n", "400"),
    ("\x05\x01\x00\r\n\r\n", "400"),
    ("X" * 100_000, "400"),
]:
    tries += 1
    try:
        line = ask(text)
    except OSError as error:
        line = str(error)
    if f" {status} " not in line:
        wrong.append(f"{text[:80]!r}: {line!r}")

mounts = [name for name in ("/etc/resolv.conf", "/etc/ssl/private") if os.path.exists(name)]
wrong.extend(f"{name} is there" for name in mounts)
print(json.dumps({"wrong": wrong, "tries": tries}))
