"""Counts the lines, words and characters of a text: parameters in as JSON, result out as JSON."""

import json
import sys

text = json.load(sys.stdin)["text"]
result = {"lines": len(text.splitlines()), "words": len(text.split()), "characters": len(text)}
json.dump(result, sys.stdout)
