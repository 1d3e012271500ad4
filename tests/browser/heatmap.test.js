// The heat maps of a report in a real browser: links, and consensus over time; and who made the record.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser, screens } from "./browser.js";
import { colorsOfPng, inReport, linkOf, unfold } from "./pages.js";
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
  hearsay(folder, ["simulate", "run.toml", "--output", "waiting", "--quiet", "--set", "run.name=waiting", "--set", "network.latency=5 ms"]);
  hearsay(folder, ["report", "waiting", "--output", "waiting.html"]);
  hearsay(folder, ["report", "few", "waiting", "--output", "two.html"]);
  const hub = ["simulate", "run.toml", "--quiet", "--set", "algorithm.kind=fed-avg", "--set", "run.name=hub"];
  hearsay(folder, [...hub, "--output", "hub", "--set", "network.bandwidth=1 Mbit/s", "--set", "topology.round_deadline=10 s"]);
  hearsay(folder, ["report", "hub", "--output", "hub.html"]);
  hearsay(folder, [...hub, "--output", "many-hub", "--set", "topology.peers=200"]);
  hearsay(folder, ["report", "many-hub", "--output", "many-hub.html"]);
  hearsay(folder, ["report", "few", "hub", "--output", "hub-and-mean.html"]);
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const inPage = (file, options, body) => inReport(browser, folder, file, options, async ({ page, trouble }) => {
  await body(page);
  assert.deepEqual(trouble, []);
});

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

  test("a cell says in words what its color stands for: by pointing, and by the arrow keys", () => inPage("waiting.html", {}, async (page) => {
    const { per_peer } = readJson(folder, "waiting", "summary.json");
    const figure = page.locator("#group-0-link-map");
    await figure.getByRole("radio", { name: "time waited" }).check();
    await figure.locator("canvas").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await figure.locator(".readout").textContent(), "peer 0 → peer 0: no link");
    await page.keyboard.press("ArrowRight");
    const waited = per_peer[1].waited_for.find(({ peer }) => peer === 0).seconds;
    assert.equal(await figure.locator(".readout").textContent(), `peer 0 → peer 1: the second waited ${(waited * 1e3).toPrecision(3)} ms for the first`);
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
    await unfold(figure.locator("summary"));
    assert.equal(await figure.locator("tbody tr").count(), lines.length);
    assert.equal(await figure.locator("thead th").count(), 1 + 4);
  }));

  test("with a hub, distances are from the hub's model, and how busy its port was is told each way", async () => {
    const { hub_port: port } = readJson(folder, "hub", "summary.json");
    const percent = (share) => `busy ${(100 * share).toLocaleString("en", { maximumSignificantDigits: 3 })} % of the time`;
    await inPage("hub.html", {}, async (page) => {
      const figure = page.locator("#group-0-consensus-map");
      assert.equal(await figure.locator("h4").textContent(), "Consensus: distance from the hub's model");
      await figure.locator("canvas").focus();
      await page.keyboard.press("ArrowRight");
      assert.match(await figure.locator(".readout").textContent(), /^iteration 0, peer 0: 0 from the hub's model$/);
      const tiles = await page.locator(".tiles").textContent();
      assert.ok(tiles.includes(percent(port.share_to_workers)) && tiles.includes(percent(port.share_from_workers)), tiles);
      assert.ok(tiles.includes("after 10 s of the emulated clock, 0 answers came too late"), tiles);
      assert.match(await page.locator("#group-0-peers > .note").first().textContent(), /^Peer 0 is the hub: through its port went .+ to the workers \(busy .+\) and .+ from them \(busy .+\)\.$/);
      assert.match(await page.locator("#group-0-place img.topology").getAttribute("alt"), /with a hub, peer 0, a worker, too$/);
      assert.ok(!(await page.locator("body").innerText()).includes("mean model"));
    });
    await inPage("many-hub.html", {}, async (page) => {
      assert.ok((await page.locator(".tiles").textContent()).includes("not limited"));
      const figure = page.locator("#group-0-consensus-map");
      await figure.locator("canvas").focus();
      await page.keyboard.press("ArrowUp");
      assert.match(await figure.locator(".readout").textContent(), /^iteration 0, 0 % of the peers are nearer to the hub: 0 from the hub's model$/);
    });
    await inPage("hub-and-mean.html", {}, async (page) =>
      assert.match(await page.locator("#group-0-compare .unlike").textContent(), /Their losses are of different models: the mean model and the hub's model\./));
  });

  test("many peers are ranks in the one map and blocks in the other", () => inPage("many.html", {}, async (page) => {
    const consensus = page.locator("#group-0-consensus-map");
    await consensus.locator("canvas").focus();
    await page.keyboard.press("ArrowUp");
    assert.match(await consensus.locator(".readout").textContent(), /^iteration 0, 0 % of the peers are nearer to the mean: 0 from the mean model$/);
    const links = page.locator("#group-0-link-map");
    await links.locator("canvas").focus();
    await page.keyboard.press("ArrowUp");
    assert.match(await links.locator(".readout").textContent(), /^peers 0 to 3 → peers 0 to 3, 6 links, on average: the first sent /);
  }));

  test("the map of links opens on the bytes if nobody waited; a link to the page keeps what was chosen", async () => {
    let link;
    assert.ok(readJson(folder, "few", "summary.json").per_peer.every(({ wait_seconds }) => wait_seconds === 0));
    await inPage("few.html", {}, async (page) => {
      const map = page.locator("#group-0-link-map");
      assert.ok(await map.getByRole("radio", { name: "bytes sent" }).isChecked());
      await map.getByRole("radio", { name: "time waited" }).check();
      link = await linkOf(page, "links");
    });
    await inPage("few.html", { fragment: link }, async (page) => assert.ok(await page.locator("#group-0-link-map").getByRole("radio", { name: "time waited" }).isChecked()));
    await inPage("waiting.html", {}, async (page) => assert.ok(await page.locator("#group-0-link-map").getByRole("radio", { name: "time waited" }).isChecked()));
  });

  test("whose peers are shown is kept in the link to the page", async () => {
    let link;
    await inPage("two.html", {}, async (page) => {
      const which = page.locator("#group-0-peers").getByLabel("run", { exact: true });
      const second = await which.locator("option").nth(1).textContent();
      await which.selectOption(second);
      link = await linkOf(page, "peers.of");
    });
    await inPage("two.html", { fragment: link }, async (page) => {
      const which = page.locator("#group-0-peers").getByLabel("run", { exact: true });
      assert.equal(await which.evaluate((select) => select.selectedIndex), 1);
    });
  });

  /// A file that a button of a figure saves.
  async function downloaded(page, figure, button) {
    const saved = page.waitForEvent("download");
    await page.locator(`#${figure}`).getByRole("button", { name: button === "CSV" ? /numbers as CSV$/ : /picture as PNG$/ }).click();
    const download = await saved;
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }

  test("heat maps are taken along as CSV with the numbers of the record", () => inPage("few.html", {}, async (page) => {
    const { per_peer } = readJson(folder, "few", "summary.json");
    const { name, bytes } = await downloaded(page, "group-0-link-map", "CSV");
    assert.equal(name, "links-bytes-sent.csv");
    const [head, ...rows] = bytes.toString().trimEnd().split("\r\n").map((row) => row.split(","));
    assert.deepEqual(head.slice(0, 2), ["from peer", "to peer"]);
    assert.equal(rows.length, per_peer.flatMap(({ sent_to }) => sent_to).length);
    for (const [from, to, , sent] of rows) assert.equal(Number(sent), per_peer[from].sent_to.find(({ peer }) => peer === Number(to)).bytes);
    const lines = readLines(folder, "few", "consensus.jsonl");
    const consensus = (await downloaded(page, "group-0-consensus-map", "CSV")).bytes.toString().trimEnd().split("\r\n").slice(1).map((row) => row.split(",").map(Number));
    assert.equal(consensus.length, lines.length * 4);
    for (const [k, [iteration, peer, distance]] of consensus.entries()) {
      const line = lines[Math.floor(k / 4)];
      assert.equal(iteration, line.iteration);
      assert.ok(Math.abs(distance - line.distances[peer]) <= 1e-3 * line.distances[peer]);
    }
  }));

  test("a heat map is taken along as a PNG that has its colors", () => inPage("many.html", {}, async (page) => {
    const { name, bytes } = await downloaded(page, "group-0-consensus-map", "PNG");
    assert.equal(name, "consensus-distance-from-the-mean-model.png");
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [2400, 1350]);
    const { colors } = await colorsOfPng(page, bytes, 100);
    assert.ok(colors.length > 100, `${colors.length} colors`);
  }));

  test("zero has no place on a logarithmic scale, whose end says so", () => inPage("few.html", {}, async (page) => {
    const written = await page.evaluate(() => new Promise((resolve) => {
      const texts = [];
      const fillText = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        texts.push(text);
        return fillText.call(this, text, ...rest);
      };
      document.querySelector("#group-0-consensus-map canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
      resolve(texts);
    }));
    assert.ok(written.some((text) => text.startsWith("≤ ")), written.join("; "));
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
