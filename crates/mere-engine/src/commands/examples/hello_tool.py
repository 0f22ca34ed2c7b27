"""Greets somebody. Reads its parameters as JSON and writes its result as JSON."""

import json
import os
import sys

name = json.load(sys.stdin)["name"]
result = {"greeting": f"Hello, {name}!", "workspace": sorted(os.listdir("."))}
json.dump(result, sys.stdout)
print()
