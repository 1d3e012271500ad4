"""The pages that the program prints: methods, compressors, topologies, keys, commands."""

import json
import os
import re
import subprocess
import tomllib

import course
import pages

# The word of `hearsay list --markdown WORD NAME` for each list, and the heading of its page.
words = {
    "algorithm.compressor": ("compressor", "Compressors"),
    "algorithm.feedback": ("feedback", "Error feedback"),
    "algorithm.optimizer": ("optimizer", "Local optimizers"),
    "algorithm.step_schedule": ("step-schedule", "Step size schedules"),
    "topology.kind": ("topology", "Topologies"),
    "topology.weights": ("weights", "Mixing weights"),
    "topology.schedule": ("schedule", "Topology schedules"),
    "model.kind": ("model", "Models"),
    "model.regularizer": ("regularizer", "Regularizers"),
    "data.source": ("data", "Data"),
    "data.partition": ("partition", "Partitions"),
}
groups = {"neighbors": "Gossip: a peer talks to its neighbors",
          "ring or doubling": "All peers sum, round a ring or by recursive doubling",
          "ring": "All peers gather, or sum, round a ring",
          "hub": "A hub and workers"}


def generate(root, program, docs, runs):
    """Writes all pages below docs/reference. Returns for each group of mkdocs.yml its pages, as (title, page)."""

    def say(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout

    lists = json.loads(say("list", "--json"))
    for folder in ["methods", "choices", "keys"]:
        (docs / "reference" / folder).mkdir(parents=True)
    commands(say, docs)
    codes = sorted((docs / "tools/manual/exit-codes").glob("*.md"), key=lambda page: int(page.stem))
    return {
        "reference/methods": methods(say, program, lists["algorithm.kind"], docs, runs),
        "reference/choices": [choices(say, key, lists[key], docs) for key in lists if key != "algorithm.kind"],
        "reference/keys": keys(say, root, json.loads(say("list", "--keys", "--json")), docs),
        "tools/manual/exit-codes": [(page.read_text().split("\n")[0][len("# Exit code "):],
                                     page.relative_to(docs).as_posix()) for page in codes],
    }


def example_on(page):
    """The run file of a method's page."""
    return re.search(r"```toml\n(.*?)```\n", page, re.S)[1]


def methods(say, program, known, docs, runs):
    folder = docs / "reference/methods"
    runs.mkdir(parents=True, exist_ok=True)
    texts = {method["name"]: say("list", "--markdown", "method", method["name"]) for method in known}
    baseline = course.of(program, example_on(texts["allreduce-sgd"]), runs)
    for name, text in texts.items():
        (folder / f"{name}.svg").write_text(course.picture(name, course.of(program, example_on(text), runs), baseline))
        figure = (f"![Loss of the example against iterations, beside that of allreduce-sgd]({name}.svg)\n\n"
                  "The loss of the example, of the mean model or the hub's. In gray: `allreduce-sgd`.\n")
        before, rest = re.split(r"\n(?=## (?:Claims|Source)\n)", text, maxsplit=1)
        (folder / f"{name}.md").write_text(f"{before}\n{figure}\n{rest}")
    index = "# Methods\n\n`hearsay list NAME` prints each of these pages in a terminal.\n"
    for who, heading in groups.items():
        index += f"\n## {heading}\n\n| method | what it is |\n| --- | --- |\n"
        for method in known:
            if method["talks_to"] == who:
                index += f"| [{method['name']}]({method['name']}.md) | {method['summary']} |\n"
    (folder / "README.md").write_text(index)
    return [(name, f"reference/methods/{name}.md") for name in texts]


def choices(say, key, known, docs):
    word, heading = words[key]
    text = f"# {heading}\n\nWhat `{key}` may be.\n"
    for choice in known:
        page = say("list", "--markdown", word, choice["name"])
        text += "\n" + re.sub(r"^(#+) ", r"#\1 ", page, flags=re.M)
    # The parts of a page are short here: their headings are no headings of the page.
    text = re.sub(r"^### (.*)$", r"**\1**", text, flags=re.M)
    page = f"reference/choices/{word}.md"
    (docs / page).write_text(text)
    return heading, page


def anchor_of(heading):
    return re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-")


def keys_of_examples(root):
    """Which run files of the tree set each key."""
    files = {}

    def walk(table, prefix, file):
        for name, value in table.items():
            key = f"{prefix}{name}"
            if isinstance(value, dict):
                walk(value, f"{key}.", file)
            else:
                files.setdefault(key, []).append(file)
            for entry in value if isinstance(value, list) else []:
                if isinstance(entry, dict):  # a variant of a sweep sets keys of a run, a peer those of the network
                    walk(entry, "" if key == "sweep.variant" else f"{prefix}", file)

    for file in [*sorted(root.glob("tools/examples/*.toml")), *sorted(root.glob("bench/*/*.toml"))]:
        walk(tomllib.loads(file.read_text()), "", file.relative_to(root).as_posix())
    return {key: list(dict.fromkeys(found)) for key, found in files.items()}


def recipe_with(key, root):
    """A link to the first recipe whose block sets the key; none if there is none."""
    table, _, name = key.partition(".")
    for page in sorted((root / "tools/recipes").glob("*.md")):
        for recipe in page.read_text().split("\n## ")[1:]:
            in_table = rf"^\[+{table}\]+\n(?:(?!\[).*\n)*?{name} = "
            if re.search(rf"\b{re.escape(key)} ?=|{in_table}", recipe, re.M):
                heading = recipe.split("\n")[0]
                return [f"[{heading}](../../tools/recipes/{page.name}#{anchor_of(heading)})"]
    return []


def examples_text(key, examples, root, docs):
    """Links to a recipe and a few run files that set the key, which become pages; empty if there are none."""
    links = recipe_with(key, root)
    for file in examples.get(key, [])[:3]:
        page = docs / f"{file}.md"
        if not page.exists():
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(pages.code_page(root, file))
        links.append(f"[{file}](../../{file}.md)")
    return f"Set in: {', '.join(links)}.\n" if links else ""


def cell(text):
    """Text as a cell of a table."""
    return text.replace("|", "\\|")


def key_page(say, key, root, docs, examples):
    """The page of a key, as the program prints it, with links to its table and to run files that set it."""
    table = key["key"].partition(".")[0]
    text = re.sub(rf"\]\(({'|'.join(pages.folders)})/", r"](../../\1/", say("list", "--markdown", "key", key["key"]))
    text = text.replace(f"key of [{table}]:", f"Key of [`[{table}]`]({table}.md):", 1)
    set_in = examples_text(key["key"], examples, root, docs)
    before, heading, rest = text.partition("\n## What is refused\n")
    return f"{before}\n{set_in}{heading}{rest}" if set_in else text


def keys(say, root, known, docs):
    """A page for each key, and one for each table of keys, which leads to them. Returns those of the tables."""
    examples = keys_of_examples(root)
    tables = {}
    for key in known:
        tables.setdefault(key["key"].partition(".")[0], []).append(key)
    index = ("# Keys of a run file\n\nEvery key has a default, and an empty file is a run. `hearsay list KEY` prints "
             "the page of a key; how values are spelled: [the run file](../../runtime/settings/README.md"
             "#how-values-are-written).\n\n| table | keys |\n| --- | --- |\n")
    for table, members in tables.items():
        index += f"| [[{table}]]({table}.md) | " + ", ".join(f"`{key['key']}`" for key in members) + " |\n"
        text = f"# [{table}]\n\n| key | type | default | what it says |\n| --- | --- | --- | --- |\n"
        for key in members:
            page = f"{key['key']}.key.md" if key["key"] == table else f"{key['key']}.md"
            text += (f"| [`{key['key']}`]({page}) | {cell(key['type'])} | {cell(key['default'])} | "
                     f"{cell(key['description'])} |\n")
            (docs / "reference/keys" / page).write_text(key_page(say, key, root, docs, examples))
        (docs / f"reference/keys/{table}.md").write_text(text)
    (docs / "reference/keys/README.md").write_text(index)
    return [(f"[{table}]", f"reference/keys/{table}.md") for table in tables]


def commands(say, docs):
    """What `hearsay help COMMAND` says of each."""
    overview = say("--help")
    text = f"# Commands\n\n```\n{overview}```\n"
    for name in re.findall(r"^  ([a-z]+) ", overview.split("Subcommands:\n")[1].split("\n\n")[0], re.M):
        text += f"\n## hearsay {name}\n\n```\n{say('help', name)}```\n"
    (docs / "reference/commands.md").write_text(text)


def known_choices(docs):
    """The page and anchor of every compressor, topology, model and the like whose name has one meaning."""
    places = {}
    for page in (docs / "reference/choices").glob("*.md"):
        for line in page.read_text().splitlines():
            if line.startswith("## "):
                places.setdefault(line[3:], []).append(f"{page.relative_to(docs).as_posix()}#{anchor_of(line[3:])}")
    return {name: found[0] for name, found in places.items() if len(found) == 1}


def known_names(docs):
    """The page of every method, key and file that is shown."""
    names = {page.stem: page.relative_to(docs).as_posix() for page in (docs / "reference/methods").glob("*.md")
             if page.stem != "README"}
    for page in (docs / "reference/keys").glob("*.md"):
        if "." in page.stem:
            names[page.stem.removesuffix(".key")] = page.relative_to(docs).as_posix()
    for page in docs.rglob("*.hpp.md"):
        path = page.relative_to(docs).as_posix()
        names[path.removesuffix(".md")] = path
    return names
