"""The texts that `make-static.py` learns from: definitions of words, and prose about programs.

Each maker takes a package as it is downloaded and gives its texts in an order of their own digests,
so that a number of them is a fair and repeatable choice.
"""

import gzip
import hashlib
import json
import re
import tarfile
import zipfile

# WordNet's files of animals and plants: half of all nouns, and nobody's notes.
SPECIES = (5, 20)


def choice(texts, count):
    """So many of the texts, the same ones each time."""
    return sorted(set(texts), key=lambda text: hashlib.sha256(text.encode()).digest())[:count]


def definitions(package):
    """WordNet: up to four words of one meaning, what it is, and examples."""
    with tarfile.open(package) as archive:
        for part in ("adj", "adv", "noun", "verb"):
            lines = archive.extractfile(f"package/dict/data.{part}").read().decode("latin-1")
            for line in lines.splitlines():
                if not line.startswith("  "):
                    yield from definition(line, part)


def definition(line, part):
    fields, gloss = line.split(" | ", 1)
    fields = fields.split(" ")
    count = int(fields[3], 16)
    words = [word.replace("_", " ").split("(")[0] for word in fields[4 : 4 + 2 * count : 2]]
    is_species = part == "noun" and int(fields[1]) in SPECIES
    if not is_species and not words[0][:1].isupper():
        yield ", ".join(words[:4]) + ": " + gloss.strip().replace('"', "")


def comments(package):
    """The comments of TypeScript's types for Node.js, a paragraph each."""
    with tarfile.open(package) as archive:
        for name in sorted(archive.getnames()):
            if name.endswith(".d.ts"):
                source = archive.extractfile(name).read().decode()
                for comment in re.findall(r"/\*\*(.*?)\*/", source, re.DOTALL):
                    yield from paragraphs(comment)


def paragraphs(comment):
    comment = re.sub(r"```.*?```", " ", comment, flags=re.DOTALL)
    comment = re.sub(r"^\s*\* ?", "", comment, flags=re.MULTILINE)
    comment = re.sub(r"^@.*$", "", comment, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n", comment):
        paragraph = " ".join(re.sub(r"\]\([^)]*\)", "]", paragraph).split())
        if len(paragraph) > 40:
            yield paragraph


def manuals(package):
    """What botocore says of each service, call and field, a paragraph each."""
    with zipfile.ZipFile(package) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith("service-2.json.gz"):
                service = json.loads(gzip.decompress(archive.read(name)))
                entries = [service, *service["operations"].values(), *service["shapes"].values()]
                for entry in entries:
                    yield from sentences(entry.get("documentation", ""))


def sentences(markup):
    for paragraph in re.split(r"</?p>|</li>", markup):
        paragraph = " ".join(re.sub(r"<[^>]*>", " ", paragraph).split())
        if 40 < len(paragraph) < 600:
            yield paragraph
