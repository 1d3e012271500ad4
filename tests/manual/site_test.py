#!/usr/bin/python3
"""What the site of the manual is made with: the dialect of Markdown, links of names, the check of links."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/manual"))

import course
import links
import pages


def folder_with(files):
    folder = tempfile.TemporaryDirectory()
    for name, text in files.items():
        path = Path(folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


class Sources(unittest.TestCase):
    def test_what_a_tool_left_in_the_tree_is_no_page(self):
        left = ["tests/browser/node_modules/a/README.md", "tests/python/.pytest_cache/README.md"]
        with folder_with(dict.fromkeys(["README.md", "tests/README.md", *left], "# A page\n")) as folder:
            self.assertEqual(list(map(str, pages.sources(Path(folder)))), ["README.md", "tests/README.md"])


class Dialect(unittest.TestCase):
    def test_nested_lists_are_four_blanks_deep(self):
        self.assertEqual(pages.dialect("* one\n  * two\n    more\n* three"), "* one\n    * two\n    more\n* three")

    def test_a_list_behind_a_sentence_gets_a_blank_line(self):
        self.assertEqual(pages.dialect("These:\n* one\n* two"), "These:\n\n* one\n* two")
        self.assertEqual(pages.dialect("* one\ngoes on\n* two"), "* one\ngoes on\n* two")

    def test_code_stays_as_it_is_but_for_what_stands_behind_its_language(self):
        self.assertEqual(pages.dialect("```sh needs=root\n  * x\n```"), "```sh\n  * x\n```")


class LinkedNames(unittest.TestCase):
    names = {"d-psgd": "methods/d-psgd.md", "run.seed": "keys/run.seed.md"}
    choices = {"topk": "choices/compressor.md#topk"}

    def linked(self, text):
        with folder_with({"a/page.md": text}) as folder:
            pages.link_names(Path(folder), self.names, self.choices)
            return (Path(folder) / "a/page.md").read_text()

    def test_names_become_links(self):
        self.assertEqual(self.linked("of `d-psgd`, `run.seed`"),
                         "of [`d-psgd`](../methods/d-psgd.md), [`run.seed`](../keys/run.seed.md)")

    def test_compressors_and_the_like_become_links_if_they_have_arguments(self):
        self.assertEqual(self.linked("`topk(1%)`"), "[`topk(1%)`](../choices/compressor.md#topk)")
        for text in ["`topk`", "`topk(1%) | natural`", "`d-psgd(1)`"]:
            self.assertEqual(self.linked(text), text)

    def test_a_link_to_the_header_of_a_method_leads_to_its_page(self):
        self.assertEqual(self.linked("[`d-psgd`](methods/d_psgd.hpp.md)"), "[`d-psgd`](../methods/d-psgd.md)")

    def test_headings_links_code_and_other_words_stay(self):
        for text in ["# `d-psgd`", "[see `d-psgd`](b.md)", "```\n`d-psgd`\n```", "    `d-psgd`", "`d-psgd2`", "d-psgd"]:
            self.assertEqual(self.linked(text), text)


class Links(unittest.TestCase):
    def broken(self, files):
        with folder_with(files) as folder:
            return links.broken(Path(folder))

    def test_what_is_there_is_no_finding(self):
        self.assertEqual(self.broken({
            "index.html": '<h1 id="top"></h1><a href="a/b.html#c">b</a><a href="#top">top</a><img src="a/p.svg">'
                          '<a href="https://example.org">elsewhere, if a reader wants it</a>',
            "a/b.html": '<h1 id="c"></h1><a href="../index.html">up</a>', "a/p.svg": ""}), [])

    def test_pages_anchors_and_files_that_are_not_there_are_found(self):
        found = self.broken({"index.html": '<a href="no.html">x</a><a href="b.html#d">x</a><a href="#e">x</a><img src="p.png">',
                             "b.html": '<h1 id="c"></h1>'})
        self.assertEqual(found, ["index.html: no.html: leads nowhere", "index.html: b.html#d: the page has no such anchor",
                                 "index.html: #e: the page has no such anchor", "index.html: p.png: leads nowhere"])

    def test_what_a_browser_would_fetch_from_elsewhere_is_found(self):
        found = self.broken({"index.html": '<script src="https://cdn.example/x.js"></script><link rel="stylesheet" '
                                           'href="//fonts.example/f.css">', "s.css": "a { background: url(https://x.example/p.png) }"})
        self.assertEqual(found, ["index.html: fetches https://cdn.example/x.js",
                                 "index.html: fetches //fonts.example/f.css", "s.css: fetches https://x.example/p.png"])


class Course(unittest.TestCase):
    def test_ticks_are_a_few_round_numbers(self):
        self.assertEqual(course.ticks(200), [0, 50, 100, 150, 200])
        self.assertEqual(course.ticks(1.45), [0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4])
        self.assertEqual(course.ticks(0.03), [0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03])


if __name__ == "__main__":
    unittest.main()
