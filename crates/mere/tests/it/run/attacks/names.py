# A small internet: a resolver and two web servers in a network namespace of their own. One server
# has a public address, the other one is what must not be reached. Runs `mere` for each URL, and
# prints the replies.
import http.server
import json
import os
import socket
import struct
import subprocess
import sys
import threading

PUBLIC, PRIVATE = "93.184.216.34", "127.0.0.1"
folder, mere, urls = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
subprocess.run(["ip", "addr", "add", f"{PUBLIC}/32", "dev", "lo"], check=True)
for name, text in [
    ("resolv.conf", "nameserver 127.0.0.1\n"),
    ("nsswitch.conf", "hosts: dns\n"),
    ("hosts", ""),
]:
    with open(f"{folder}/{name}", "w") as file:
        file.write(text)
    target = os.path.realpath(f"/etc/{name}")
    if os.path.exists(target):
        subprocess.run(["mount", "--bind", f"{folder}/{name}", target], check=True)

asked = {}


def addresses(name):
    """The addresses of a name; those that begin with `rebind` change after the first question."""
    asked[name] = asked.get(name, 0) + 1
    if name.startswith("rebind"):
        return [PUBLIC if asked[name] == 1 else PRIVATE]
    return {
        "public.example": [PUBLIC],
        "private.example": [PRIVATE],
        "mixed.example": [PUBLIC, "10.0.0.1"],
        "unspecified.example": ["0.0.0.0"],
        "metadata.example": ["169.254.169.254"],
    }.get(name, [])


def mapped(name):
    return [socket.inet_pton(socket.AF_INET6, "::ffff:127.0.0.1")] if name == "mapped.example" else []


def resolver(server):
    while True:
        question, client = server.recvfrom(512)
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1 : at + 1 + question[at]].decode())
            at += 1 + question[at]
        kind = struct.unpack(">H", question[at + 1 : at + 3])[0]
        name = ".".join(labels).lower()
        found = [socket.inet_aton(one) for one in addresses(name)] if kind == 1 else []
        found = mapped(name) if kind == 28 else found
        answer = question[:2] + struct.pack(">HHHHH", 0x8180, 1, len(found), 0, 0)
        answer += question[12 : at + 5]
        for one in found:
            answer += struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(one)) + one
        server.sendto(answer, client)


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        to = {"/private": "http://private.example/", "/again": f"http://{self.headers['Host']}/x",
              "/literal": "http://127.0.0.1/", "/six": "http://[::1]/"}.get(self.path)
        body = self.server.server_address[0].encode()
        self.send_response(302 if to else 200)
        if to:
            self.send_header("Location", to)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        if self.server.server_address[0] == PRIVATE:
            with open(f"{folder}/reached", "a") as file:
                file.write("reached\n")


names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("127.0.0.1", 53))
threading.Thread(target=resolver, args=(names,), daemon=True).start()
for address in (PUBLIC, PRIVATE):
    server = http.server.ThreadingHTTPServer((address, 80), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
replies = []
for url in urls:
    call = json.dumps({"item_type": "tool", "item_id": "a", "parameters": {"url": url}})
    ran = subprocess.run([mere, "call", "execute", call], capture_output=True, text=True)
    replies.append(json.loads(ran.stdout))
print(json.dumps(replies))
