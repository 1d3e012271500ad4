#!/usr/bin/python3
"""Builds the site of the manual, a folder of HTML that opens from a disk, and checks every link in it.

    tools/manual/build.py PROGRAM FOLDER [--if-changed]

FOLDER gets html/, the site, besides what it is made of. The pages are those of the source tree, where they
stay, and pages that PROGRAM prints: a page for each method, the keys of a run file, the commands. With
--if-changed a site that is newer than all of these is left as it is. Ends with 0 if the site is there, 77 if
mkdocs is not installed, 1 if a link leads nowhere.
"""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is written into the source tree

import links
import pages
import reference

root = Path(__file__).resolve().parents[2]
folder_of_parts = Path(__file__).resolve().parent


def is_newer(html, program):
    """True if the site is there, and newer than the program and all that the pages are made of."""
    stamp = html / "index.html"
    if not stamp.exists():
        return False
    made = stamp.stat().st_mtime
    parts = [program, *(root / page for page in pages.sources(root)), *folder_of_parts.rglob("*"),
             *root.glob("tools/examples/*"), *root.glob("bench/*/*.toml")]
    return all(part.stat().st_mtime <= made for part in parts)


def navigation(docs, generated):
    """The lines of mkdocs.yml, in which each "GENERATED: folder" is replaced by the pages there."""
    template = (folder_of_parts / "mkdocs.yml").read_text()
    named = {line.split(": ")[-1] for line in template.splitlines() if line.strip().endswith(".md")}
    in_groups = {page for group in generated.values() for _, page in group}
    rest = [page for page in sorted(docs.rglob("*.md"), key=lambda page: page.parent.as_posix())]
    rest = [page.relative_to(docs).as_posix() for page in rest]
    generated["rest"] = [(pages.title_of(docs / page), page) for page in rest if page not in named | in_groups
                         and not page.startswith("reference/") and page.endswith("README.md")]
    lines = []
    for line in template.splitlines():
        marker = "- GENERATED: "
        if marker not in line:
            lines.append(line)
            continue
        indent, group = line.split(marker)
        lines += [f"{indent}- {json.dumps(title)}: {page}" for title, page in generated[group]]
    return "\n".join(lines) + "\n"


def put_search_on_disk(html):
    """Writes search/offline.js: the index and the worker, for pages that are opened from a disk."""
    index = (html / "search/search_index.json").read_text()
    worker = next((html / "assets/javascripts/workers").glob("search.*.min.js")).read_text()
    worker = worker[:worker.rindex("//# sourceMappingURL")]
    (html / "search/offline.js").write_text(
        f"__search.index = Promise.resolve({index});\n"
        f"__search.worker = URL.createObjectURL(new Blob([{json.dumps(worker)}], {{type: 'text/javascript'}}));\n")


def drop_what_nobody_reads(html):
    """Removes what a site on a disk has no use for: other languages, maps of scripts, the map of the site."""
    shutil.rmtree(html / "assets/javascripts/lunr")
    for name in ["404.html", "sitemap.xml", "sitemap.xml.gz"]:
        (html / name).unlink(missing_ok=True)
    for source_map in html.rglob("*.map"):
        source_map.unlink()
    for script in html.rglob("*.min.*s"):
        text = script.read_text()
        script.write_text("\n".join(line for line in text.split("\n") if "sourceMappingURL=" not in line))


def build(program, folder):
    docs = folder / "docs"
    html = folder / "html"
    for made in [docs, html]:
        shutil.rmtree(made, ignore_errors=True)
    pages.gather(root, docs)
    shutil.copy(folder_of_parts / "theme/extra.css", docs)
    generated = reference.generate(root, program, docs, folder / "runs")
    pages.link_names(docs, reference.known_names(docs), reference.known_choices(docs))
    config = navigation(docs, generated).replace("custom_dir: THEME", f"custom_dir: {folder_of_parts / 'theme'}")
    (folder / "mkdocs.yml").write_text(config + f"docs_dir: {docs}\nsite_dir: {html}\n")
    made = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-f", folder / "mkdocs.yml"],
                          stderr=subprocess.PIPE, text=True)
    if made.returncode != 0:
        return [line for line in made.stderr.splitlines() if "INFO" not in line]
    put_search_on_disk(html)
    drop_what_nobody_reads(html)
    return links.broken(html)


def main(words):
    program, folder = Path(words[0]).resolve(), Path(words[1]).resolve()
    html = folder / "html"
    if any(importlib.util.find_spec(name) is None for name in ["mkdocs", "pymdownx"]):
        print("the site of the manual is not built: apt-get install mkdocs mkdocs-material")
        return 77
    if "--if-changed" in words and is_newer(html, program):
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    found = build(program, folder)
    for sentence in found:
        print(f"wrong: {sentence}")
    if found:
        shutil.rmtree(html, ignore_errors=True)  # no stamp for --if-changed
        return 1
    print(f"{len(list(html.rglob('*.html')))} pages in {html}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
