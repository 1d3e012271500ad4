"""Finds what is wrong with the links of a site: pages, anchors and files that are not there, and whatever a browser
would fetch from elsewhere."""

import os
import re
from html.parser import HTMLParser
from urllib.parse import unquote


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors = set()
        self.links = []    # of text, which a reader may follow
        self.fetched = []  # what a browser reads at once
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.update(filter(None, [attributes.get("id"), attributes.get("name")]))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag == "link" and attributes.get("rel") != "canonical":
            self.fetched.append(attributes["href"])
        if attributes.get("src"):
            self.fetched.append(attributes["src"])


def broken(html):
    """Returns a sentence for each."""
    pages = {page.relative_to(html).as_posix(): Page(page.read_text()) for page in html.rglob("*.html")}
    found = []
    for name, page in sorted(pages.items()):
        for link in page.fetched:
            if re.match(r"(\w+:)?//", link):
                found.append(f"{name}: fetches {link}")
        for link in page.links + page.fetched:
            if re.match(r"\w+:|//", link):
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), unquote(path))) if path else name
            if target in pages:
                if anchor and unquote(anchor) not in pages[target].anchors:
                    found.append(f"{name}: {link}: the page has no such anchor")
            elif not (html / target).exists():
                found.append(f"{name}: {link}: leads nowhere")
    for style in html.rglob("*.css"):
        found += [f"{style.relative_to(html)}: fetches {address}"
                  for address in re.findall(r"url\(['\"]?(https?:[^)'\"]+)", style.read_text())]
    return found
