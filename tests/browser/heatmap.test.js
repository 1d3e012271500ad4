// The heat maps of a report in a real browser: links, and consensus over time; and who made the record.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser, screens } from "./browser.js";
import { hearsay, quadraticRun, readJson, readLines, write } from "./hearsay.js";

let folder;
let browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "hearsay-heatmap-"));
  write(folder, "run.toml", quadraticRun);
  for (const [name, peers] of [["few", 4], ["many", 200], ["alone", 1]]) {
    hearsay(folder, ["simulate", "run.toml", "--output", name, "--quiet", "--set", `topology.peers=${peers}`]);
    hearsay(folder, ["report", name, "--output", `${name}.html`]);
  }
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function inPage(file, options, body) {
  const context = await browser.newContext({ viewport: screens.desktop, ...options });
  try {
    const page = await context.newPage();
    const trouble = [];
    page.on("pageerror", (error) => trouble.push(String(error)));
    await page.goto(`file://${join(folder, file)}`);
    await body(page);
    assert.deepEqual(trouble, []);
  } finally {
    await context.close();
  }
}

/// How many different colors a heat map has drawn.
const colorsIn = (page, figure) => page.evaluate((id) => {
  const canvas = document.querySelector(`#${id} canvas`);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let at = 0; at < data.length; at += 4) seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
  return seen.size;
}, figure);

describe("heat map", () => {
  for (const [what, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: screens.phone }]])
    test(`links and consensus are drawn in color, ${what}, whatever the number of peers`, async () => {
      for (const file of ["few.html", "many.html"])
        await inPage(file, options, async (page) => {
          for (const figure of ["group-0-link-map", "group-0-consensus-map"]) {
            await page.locator(`#${figure}`).scrollIntoViewIfNeeded();
            assert.ok(await colorsIn(page, figure) > 20, `${file} ${figure}`);
          }
        });
    });

  test("a cell says in words what its color stands for: by pointing, and by the arrow keys", () => inPage("few.html", {}, async (page) => {
    const { per_peer } = readJson(folder, "few", "summary.json");
    const figure = page.locator("#group-0-link-map");
    await figure.locator("canvas").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await figure.locator(".readout").textContent(), "peer 0 → peer 0: no link");
    await page.keyboard.press("ArrowRight");
    const waited = per_peer[1].waited_for.find(({ peer }) => peer === 0).seconds;
    assert.equal(await figure.locator(".readout").textContent(), `peer 0 → peer 1: the second waited ${waited === 0 ? "0 s" : (waited * (waited < 1e-3 ? 1e6 : 1e3)).toPrecision(3) + (waited < 1e-3 ? " µs" : " ms")} for the first`);
    await figure.getByRole("radio", { name: "bytes sent" }).check();
    await figure.locator("canvas").hover({ position: { x: 200, y: 40 } });
    assert.match(await figure.locator(".readout").textContent(), /^peer 0 → peer \d: (the first sent [\d.]+ MB to the second|no link)$/);
  }));

  test("consensus over time is that of the record, with its numbers as a table", () => inPage("few.html", {}, async (page) => {
    const lines = readLines(folder, "few", "consensus.jsonl");
    const figure = page.locator("#group-0-consensus-map");
    await figure.locator("canvas").focus();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    const { iteration, distances } = lines[1];
    assert.equal(await figure.locator(".readout").textContent(), `iteration ${iteration}, peer 1: ${distances[1].toLocaleString("en", { maximumSignificantDigits: 3 })} from the mean model`);
    await figure.locator("summary").click();
    assert.equal(await figure.locator("tbody tr").count(), lines.length);
    assert.equal(await figure.locator("thead th").count(), 1 + 4);
  }));

  test("many peers are ranks in the one map and blocks in the other", () => inPage("many.html", {}, async (page) => {
    const consensus = page.locator("#group-0-consensus-map");
    await consensus.locator("canvas").focus();
    await page.keyboard.press("ArrowUp");
    assert.match(await consensus.locator(".readout").textContent(), /^iteration 0, 0 % of the peers are nearer to the mean: 0 from the mean model$/);
    const links = page.locator("#group-0-link-map");
    await links.locator("canvas").focus();
    await page.keyboard.press("ArrowUp");
    assert.match(await links.locator(".readout").textContent(), /^peers 0 to 3 → peers 0 to 3, 6 links, on average: the second waited /);
  }));

  test("a peer alone has no links and nobody to agree with", () => inPage("alone.html", {}, async (page) => {
    assert.ok(await page.locator("#group-0-link-map").isHidden());
    assert.ok(await page.locator("#group-0-consensus-map").isHidden());
  }));

  test("the page says who made the record, when, where and how", () => inPage("few.html", {}, async (page) => {
    const { provenance } = readJson(folder, "few", "summary.json");
    const said = await page.locator("#group-0-provenance").textContent();
    for (const part of [provenance.begun.slice(0, 10), provenance.version, provenance.host, provenance.command, `${provenance.cores} core`]) assert.ok(said.includes(part), `${said} has ${part}`);
    assert.ok(said.includes("seed1"));
  }));
});
