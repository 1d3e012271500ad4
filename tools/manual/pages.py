"""Gathers the pages of the source tree, and puts them into the dialect of Markdown that mkdocs reads."""

import os
import re
import shutil

folders = ["topology", "algorithms", "runtime", "tools", "bench", "tests"]
link = re.compile(r"\]\(([^)\s]+)\)")
code_languages = {".json": "json", ".hpp": "cpp", ".cpp": "cpp", ".toml": "toml", ".sh": "sh", ".yaml": "yaml", ".py": "python"}


def sources(root):
    """The pages of the source tree, relative to it, without those of tools that were run there."""
    found = [root / "README.md"]
    for folder in folders:
        found += sorted((root / folder).rglob("*.md"))
    pages = [page.relative_to(root) for page in found]
    return [page for page in pages
            if not any(part == "node_modules" or part.startswith(".") for part in page.parts)]


def title_of(page):
    """The heading of a page, without marks; the README of a room is called by its folder there."""
    heading = next(line for line in page.read_text().splitlines() if line.startswith("# "))
    return heading[2:].replace("`", "")


def outside_of_code(lines):
    """Yields each line with whether it is text: neither fenced nor the fence."""
    fenced = False
    for line in lines:
        is_fence = line.lstrip().startswith("```")
        yield line, not fenced and not is_fence
        fenced ^= is_fence


def dialect(text):
    """The same for mkdocs: it wants nested lists four blanks deep, a blank line before a list, and nothing but a
    language behind a fence."""
    result = []
    for line, is_text in outside_of_code(text.split("\n")):
        if not is_text:
            result.append(re.sub(r"^(```\w+) .*", r"\1", line))
            continue
        nested = re.match(r"( {2,3})([*-] |\d+\. )", line)
        if nested:
            line = "    " + line[len(nested[1]):]
        begins_list = re.match(r"([*-] |\d+\. )", line)
        before = result[-1] if result else ""
        if begins_list and before and not re.match(r"\s|[*-] |\d+\. ", before) and not in_list(result):
            result.append("")
        result.append(line)
    return "\n".join(result)


def in_list(lines):
    """Whether the paragraph that ends the lines is an item of a list."""
    for line in reversed(lines):
        if not line:
            return False
        if re.match(r"\s*([*-] |\d+\. )", line):
            return True
    return False


def code_page(root, path):
    """A page that shows a file, which another page leads to."""
    file = root / path
    if file.is_dir():
        names = [name for name in sorted(os.listdir(file)) if (file / name).suffix in code_languages]
    else:
        names, file, path = [file.name], file.parent, os.path.dirname(path)
    parts = [f"# {path if len(names) > 1 else os.path.join(path, names[0])}\n"]
    for name in names:
        heading = f"## {name}\n\n" if len(names) > 1 else ""
        parts.append(f"{heading}```{code_languages[(file / name).suffix]}\n{(file / name).read_text()}```\n")
    return "\n".join(parts)


def gather(root, docs):
    """Copies all pages to `docs`, and with them the pictures and files that they lead to, as pages."""
    for page in sources(root):
        here = page.parent

        def led(match):
            target, hash_mark, anchor = match[1].partition("#")
            if not target or "://" in target or target.endswith(".md"):
                return match[0]
            path = os.path.normpath(here / target)
            if not (root / path).exists():
                return match[0]  # mkdocs says so
            if target.endswith(".png"):
                (docs / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / path, docs / path)
                return match[0]
            shown = os.path.join(path, "README.md") if (root / path).is_dir() else path + ".md"
            if not (docs / shown).exists() and not (root / shown).exists():
                (docs / shown).parent.mkdir(parents=True, exist_ok=True)
                (docs / shown).write_text(code_page(root, path))
            return f"]({os.path.relpath(shown, here)}{hash_mark}{anchor})"

        lines = [link.sub(led, line) if is_text else line
                 for line, is_text in outside_of_code((root / page).read_text().split("\n"))]
        (docs / page).parent.mkdir(parents=True, exist_ok=True)
        (docs / page).write_text(dialect("\n".join(lines)))


def link_names(docs, names, choices):
    """Makes a link of every name in code marks that has a page: `failure.lost_after`, `choco-sgd`; of compressors,
    topologies and the like if they have arguments, `topk(1%)`, for without them many are common words. `names` and
    `choices` have the page and anchor of each. A method that is a link to its header becomes one to its page, which
    leads to the header. Headings, other links and the page itself are left alone."""
    code = re.compile(r"(?<!`)`([a-z0-9_./-]+)(\([^`|]*\))?`(?!`)")
    to_header = re.compile(r"\[(`[a-z0-9-]+`)\]\([^)]*\.hpp\.md\)")
    for page in docs.rglob("*.md"):
        here = page.relative_to(docs)

        def linked(match):
            target = (choices if match[2] else names).get(match[1])
            if not target or target.partition("#")[0] == here.as_posix():
                return match[0]
            return f"[{match[0]}]({os.path.relpath(target, here.parent)})"

        result = []
        for line, is_text in outside_of_code(page.read_text().split("\n")):
            if is_text and not line.startswith(("#", "    ")):
                line = to_header.sub(lambda match: match[1] if match[1].strip("`") in names else match[0], line)
                # What stands in brackets is a link already, or becomes one.
                line = "".join(part if part.startswith("[") else code.sub(linked, part)
                               for part in re.split(r"(\[[^\]]*\]\([^)]*\))", line))
            result.append(line)
        page.write_text("\n".join(result))
