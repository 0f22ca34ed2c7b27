"""Prints the similarities that `crates/mere-core/tests/it/embed.rs` expects.

    python compare.py static.bin

It reads the table and adds up its vectors in float64, apart from the Rust that does the same.
"""

import struct
import sys

import numpy

from minilm import Tokeniser

PAIRS = (
    ("Retry failed requests with backoff", "what to do when a network call does not succeed"),
    ("Retry failed requests with backoff", "a recipe for bread"),
    ("The cat sat on the mat.", "A kitten was lying on the rug"),
    ("Rotate the signing keys every quarter", "how often are credentials replaced"),
    ("PostgreSQL", "the database"),
    ("Café Zürich 東京", "coffee house in Switzerland"),
)


def read(path):
    """The tokeniser and the vectors of a table."""
    with open(path, "rb") as file:
        data = file.read()
    _, dimensions, tokens, words, _ = struct.unpack("<5I", data[8:28])
    scales = numpy.frombuffer(data, "<f4", tokens, 28 + words)
    rows = numpy.frombuffer(data, numpy.uint8, tokens * dimensions // 2, 28 + words + 4 * tokens)
    rows = rows.reshape(tokens, dimensions // 2)
    numbers = numpy.concatenate([rows & 15, rows >> 4], axis=1).astype(float) - 8
    return Tokeniser(data[28 : 28 + words]), numbers * scales[:, None]


def main(path):
    tokeniser, table = read(path)
    for pair in PAIRS:
        one, other = (table[tokeniser.tokens(text)].sum(axis=0) for text in pair)
        lengths = numpy.linalg.norm(one) * numpy.linalg.norm(other)
        print(f"{one @ other / lengths:.4f}  {pair}")


if __name__ == "__main__":
    main(*sys.argv[1:])
