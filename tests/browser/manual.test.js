// The site of the manual, opened from a disk: its search, and that it asks for nothing over any network.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { openBrowser, screens } from "./browser.js";

const html = process.env.HEARSAY_MANUAL ?? new URL("../../build/manual/html", import.meta.url).pathname;
const isBuilt = existsSync(join(html, "index.html"));
if (!isBuilt) console.log("skipped: the site of the manual in a browser (apt-get install mkdocs mkdocs-material)");

let browser;
before(async () => { browser = await openBrowser(); });
after(() => browser.close());

/// A page of the site, and all that it asks for and complains of.
async function opened(context, path, screen = screens.desktop) {
  const page = await browser.newPage({ viewport: screen });
  context.after(() => page.close());
  const asked = [];
  const complaints = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") complaints.push(message.text()); });
  await page.goto(pathToFileURL(join(html, path)).href);
  return { page, asked, complaints };
}

/// Types the words into the search, and waits until one of its first results leads to `place`.
async function find(page, words, place) {
  await page.click(".md-search__input");
  await page.locator(".md-search-result__meta", { hasText: "Type to start" }).waitFor({ state: "attached" });  // the index is read
  await page.locator(".md-search__input").pressSequentially(words);
  const [path, anchor = ""] = place.split("#");
  await page.waitForFunction(([path, anchor]) => [...document.querySelectorAll(".md-search-result__link")].slice(0, 8).some((link) => {
    const address = new URL(link.href);
    return address.pathname.endsWith(path) && address.hash === anchor;
  }), [`/${path}`, anchor && `#${anchor}`], { timeout: 10000 });
}

test("manual: from a disk the search finds a key by its name, a method, an exit code", { skip: !isBuilt }, async (context) => {
  for (const [words, place] of [["failure.lost_after", "reference/keys/failure.lost_after.html"],
                                ["algorithm.local_steps", "reference/keys/algorithm.local_steps.html"],
                                ["choco-sgd", "reference/methods/choco-sgd.html"], ["exit code 4", "tools/manual/exit-codes/4.html"]]) {
    const { page, asked, complaints } = await opened(context, "index.html");
    await find(page, words, place);
    assert.deepEqual(complaints, []);
    assert.deepEqual(asked.filter((address) => !/^(file|blob|data):/.test(address)), []);
  }
});

test("manual: a result opens its page, and the page of a method shows its run file and its course", { skip: !isBuilt }, async (context) => {
  const { page, complaints } = await opened(context, "tools/recipes/first.html");
  await find(page, "choco-sgd", "reference/methods/choco-sgd.html");
  await page.locator(".md-search-result__link").first().click();
  await page.waitForURL(/choco-sgd/);
  assert.match(await page.locator("article").innerText(), /kind = "choco-sgd"/);
  const picture = page.locator("article img");
  assert.ok(await picture.evaluate((image) => image.complete && image.naturalWidth > 100));
  assert.deepEqual(complaints, []);
});

test("manual: on a phone no page is wider than the screen", { skip: !isBuilt }, async (context) => {
  for (const path of ["index.html", "algorithms/index.html", "reference/methods/artemis.html"]) {
    const { page } = await opened(context, path, screens.phone);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), path);
  }
});
