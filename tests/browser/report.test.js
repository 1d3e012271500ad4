// The page of `hearsay report` in a real browser.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readFileSync, rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser, screens } from "./browser.js";
import { hearsay, quadraticRun, readJson, readLines, write } from "./hearsay.js";
import { chartOf, inReport, lineOf, linkOf, unfold } from "./pages.js";

const hostileName = `</script><img src=x onerror="window.pwned=1">`;
const variants = ["plain", "8 bit", hostileName];
const bandwidths = ["100 kbit/s", "10 Mbit/s", "1 Gbit/s"];
const latencies = ["1 ms", "50 ms"];

let folder;
let browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "hearsay-report-"));
  write(folder, "sweep.toml", `${quadraticRun}
[sweep]
driver = "simulate"
baseline = "plain"
"network.bandwidth" = ${JSON.stringify(bandwidths)}
"network.latency" = ${JSON.stringify(latencies)}
[[sweep.variant]]
name = "plain"
algorithm.kind = "allreduce-sgd"
[[sweep.variant]]
name = "8 bit"
algorithm.kind = "dcd-psgd"
[[sweep.variant]]
name = '${hostileName}'
algorithm.kind = "d-psgd"
`);
  hearsay(folder, ["sweep", "sweep.toml", "--output", "sweep", "--quiet", "--set", "run.target_loss=22"]);
  hearsay(folder, ["report", "sweep", "--output", "sweep.html"]);
  write(folder, "run.toml", quadraticRun);
  hearsay(folder, ["simulate", "run.toml", "--output", "good", "--quiet"]);
  hearsay(folder, ["simulate", "run.toml", "--output", "bad", "--quiet", "--set", "algorithm.step_size=1e30",
    "--set", `run.name=${hostileName.replace("/", "")}`], [4]);
  hearsay(folder, ["report", "good", "bad", "--output", "runs.html"]);
  write(folder, "unstable.toml", `${quadraticRun}
[sweep]
driver = "simulate"
"network.bandwidth" = ["1 Mbit/s", "1 Gbit/s"]
[[sweep.variant]]
name = "steady"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "rash"
algorithm.kind = "dcd-psgd"
algorithm.step_size = 1e30
`);
  hearsay(folder, ["sweep", "unstable.toml", "--output", "unstable", "--quiet"]);
  hearsay(folder, ["report", "sweep", "good", "unstable", "--output", "all.html"]);
  hearsay(folder, ["simulate", "run.toml", "--output", "many", "--quiet", "--set", "topology.peers=130"]);
  hearsay(folder, ["report", "many", "--output", "many.html"]);
  hearsay(folder, ["simulate", "run.toml", "--output", "most", "--quiet", "--set", "topology.peers=1001", "--set", "run.iterations=2"]);
  hearsay(folder, ["report", "most", "--output", "most.html"]);
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const folderOf = (variant, at) => readJson(folder, "sweep", "sweep.json").points.find((point) => point.variant === variant &&
  point.axes["network.bandwidth"] === bandwidths[at[0]] && point.axes["network.latency"] === latencies[at[1]]).folder;

const inPage = (file, options, body) => inReport(browser, folder, file, options, body);

describe("report", () => {
  for (const file of ["sweep.html", "runs.html", "all.html"])
    test(`${file} asks for nothing over any network, and nothing goes wrong in it`, () => inPage(file, {}, async ({ page, trouble }) => {
      for (const control of await page.locator("select:visible").all())
        for (const option of await control.locator("option").all()) await control.selectOption(await option.textContent());
      for (const slider of await page.locator("input[type=range]:visible").all()) await slider.fill("0.5");
      for (const box of await page.locator("input:not([type=range]):visible:enabled").all()) await box.check();
      for (const summary of await page.locator("summary:visible").all()) await summary.click();
      assert.ok(await page.locator("canvas").count() >= 4);
      assert.deepEqual(trouble, []);
    }));

  test("a name that is a tag is only ever text", () => inPage("sweep.html", {}, async ({ page }) => {
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.locator("main img:not(.topology)").count(), 0);
    assert.ok((await page.locator("#group-0-training .legend button").allTextContents()).some((text) => text.includes(hostileName)));
  }));

  test("the training charts have a line for every variant and a point for every evaluation", () => inPage("sweep.html", {}, async ({ page }) => {
    await page.getByRole("radio", { name: "Iterations" }).check();
    const loss = await chartOf(page, "group-0-loss");
    assert.deepEqual(loss.lines.map(({ label }) => label), [...variants, "target loss"]);
    for (const variant of variants) {
      const evaluations = readLines(folder, "sweep", folderOf(variant, [1, 0]), "metrics.jsonl");
      const { data } = lineOf(loss, variant);
      assert.equal(data.length, evaluations.length);
      assert.equal(data.at(-1).x, evaluations.at(-1).iteration);
      assert.ok(Math.abs(data.at(-1).y / evaluations.at(-1).loss - 1) < 1e-6);
    }
    assert.equal((await chartOf(page, "group-0-consensus")).lines.length, variants.length);
  }));

  test("another axis is drawn when it is chosen, with its own label and values", () => inPage("sweep.html", {}, async ({ page }) => {
    await page.getByRole("radio", { name: "Iterations" }).check();
    assert.equal((await chartOf(page, "group-0-loss")).x.title, "iteration");
    const last = readLines(folder, "sweep", folderOf("8 bit", [1, 0]), "metrics.jsonl").at(-1);
    await page.getByRole("radio", { name: "MB/peer" }).check();
    let loss = await chartOf(page, "group-0-loss");
    assert.equal(loss.x.title, "MB sent per peer");
    assert.ok(Math.abs(lineOf(loss, "8 bit").data.at(-1).x - last.bytes_sent / 4 / 1e6) < 1e-6);
    await page.getByRole("radio", { name: "Seconds" }).check();
    loss = await chartOf(page, "group-0-loss");
    assert.equal(loss.x.title, "seconds");
    assert.ok(Math.abs(lineOf(loss, "8 bit").data.at(-1).x / last.seconds - 1) < 1e-6);
  }));

  test("a logarithmic axis has no place for zero, and says that it is one", () => inPage("sweep.html", {}, async ({ page }) => {
    await page.getByRole("radio", { name: "Iterations" }).check();
    const before = lineOf(await chartOf(page, "group-0-loss"), "plain").data.length;
    await page.locator("#group-0-training > .controls").getByLabel("log scale").check();
    const loss = await chartOf(page, "group-0-loss");
    assert.equal(loss.x.type, "logarithmic");
    assert.equal(loss.x.title, "iteration (log)");
    assert.equal(lineOf(loss, "plain").data.length, before - 1);  // without iteration 0
  }));

  test("a press on the legend hides a series in every chart, and another one brings it back", () => inPage("sweep.html", {}, async ({ page }) => {
    const button = page.locator("#group-0-training .legend button", { hasText: "8 bit" });
    const shown = async () => (await Promise.all(["group-0-loss", "group-0-consensus", "group-0-curves"].map((id) => chartOf(page, id))))
      .map((chart) => lineOf(chart, "8 bit") !== undefined);
    assert.deepEqual(await shown(), [true, true, true]);
    await button.click();
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    assert.deepEqual(await shown(), [false, false, false]);
    assert.ok(lineOf(await chartOf(page, "group-0-loss"), "plain"));
    await button.click();
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    assert.deepEqual(await shown(), [true, true, true]);
  }));

  test("runs and sweeps stand below each other, the runs first; nothing is called like anything else", () => inPage("all.html", {}, async ({ page }) => {
    assert.deepEqual(await page.locator("h2").allTextContents(), ["Run: good", "Sweep: sweep", "Sweep: unstable"]);
    const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
    assert.equal(new Set(ids).size, ids.length);
    await page.locator("#group-1-training .legend button").first().click();
    assert.equal(await page.locator("#group-0-training .legend button").first().getAttribute("aria-pressed"), "true");
  }));

  test("who diverges is never the fastest", () => inPage("all.html", {}, async ({ page }) => {
    const cells = await page.locator("#group-2-winners .heat td.cell").allTextContents();
    assert.equal(cells.length, 2);
    for (const text of cells) assert.match(text, /steady/);
    assert.equal((await chartOf(page, "group-2-curves")).lines.length, 2);
  }));

  test("every legend of a group shows what is hidden", () => inPage("sweep.html", {}, async ({ page }) => {
    await page.locator("#group-0-training .legend button", { hasText: "8 bit" }).click();
    assert.equal(await page.locator("#group-0-along .legend button", { hasText: "8 bit" }).getAttribute("aria-pressed"), "false");
  }));

  test("the curves along an axis have a point for every value, and its ticks are the values as they were written", () => inPage("sweep.html", {}, async ({ page }) => {
    const curves = await chartOf(page, "group-0-curves");
    assert.equal(curves.lines.length, variants.length);
    for (const { data } of curves.lines) assert.deepEqual(data.map(({ x }) => x), [1e5, 1e7, 1e9]);
    assert.equal(curves.x.type, "logarithmic");
    assert.ok(curves.x.ticks.includes("100 kbit/s") && curves.x.ticks.includes("1 Gbit/s"));
    const along = page.locator("#group-0-along");
    await along.getByLabel("Show", { exact: true }).selectOption("Speed-up over the baseline");
    const speedUps = lineOf(await chartOf(page, "group-0-curves"), "8 bit").data;
    const { points } = readJson(folder, "sweep", "sweep.json");
    for (const { x, y } of speedUps) {
      const point = points.find((of) => of.variant === "8 bit" && of.axes["network.latency"] === "1 ms" && of.axes["network.bandwidth"] === bandwidths[[1e5, 1e7, 1e9].indexOf(x)]);
      assert.ok(Math.abs(y / point.speed_up - 1) < 1e-6);
    }
    await along.getByLabel("Against", { exact: true }).selectOption("latency");
    assert.deepEqual(lineOf(await chartOf(page, "group-0-curves"), "plain").data.map(({ x }) => x), [0.001, 0.05]);
  }));

  test("the heat map names in every cell who reaches the target first, and how much sooner than the baseline", () => inPage("sweep.html", {}, async ({ page }) => {
    const { points } = readJson(folder, "sweep", "sweep.json");
    const rows = page.locator(".heat tbody tr");
    assert.equal(await rows.count(), latencies.length);
    for (const [row, latency] of latencies.entries()) {
      const cells = rows.nth(row).locator("td");
      assert.equal(await cells.count(), bandwidths.length);
      for (const [column, bandwidth] of bandwidths.entries()) {
        const here = points.filter(({ axes }) => axes["network.latency"] === latency && axes["network.bandwidth"] === bandwidth);
        const first = here.reduce((a, b) => (a.seconds_to_target <= b.seconds_to_target ? a : b));
        const text = await cells.nth(column).textContent();
        assert.ok(text.includes(first.variant), `${text} names ${first.variant}`);
        if (first.variant !== "plain" && first.speed_up < 10) assert.ok(text.includes(`${first.speed_up.toFixed(1)}×`), `${text} says ${first.speed_up}`);
      }
    }
  }));

  test("a press on a cell of the heat map takes every section to that place", () => inPage("sweep.html", {}, async ({ page }) => {
    await page.locator(".heat tbody tr").nth(1).locator("button").nth(2).click();
    assert.equal(await page.locator("#group-0-training").getByLabel("bandwidth").inputValue(), "1 Gbit/s");
    assert.equal(await page.locator("#group-0-peers").getByLabel("latency").inputValue(), "50 ms");
    await page.getByRole("radio", { name: "Seconds" }).check();
    const last = readLines(folder, "sweep", folderOf("plain", [2, 1]), "metrics.jsonl").at(-1);
    assert.ok(Math.abs(lineOf(await chartOf(page, "group-0-loss"), "plain").data.at(-1).x / last.seconds - 1) < 1e-6);
  }));

  test("a run that diverged is drawn as far as it has numbers, beside one that did not", () => inPage("runs.html", {}, async ({ page }) => {
    const loss = await chartOf(page, "group-0-loss");
    assert.equal(loss.lines.length, 2);
    const numbers = (run) => readLines(folder, run, "metrics.jsonl").filter((line) => typeof line.loss === "number").length;
    assert.equal(loss.lines[0].data.length, numbers("good"));
    assert.equal(loss.lines[1].data.length, numbers("bad"));
    assert.match(await page.locator(".overview").textContent(), /diverged/);
  }));

  test("the bars of the peers are those of the record, and the links those that somebody waited for", () => inPage("sweep.html", {}, async ({ page }) => {
    await page.locator("#group-0-peers").getByLabel("Variant").selectOption("8 bit");
    const summary = readJson(folder, "sweep", folderOf("8 bit", [1, 0]), "summary.json");
    const sent = lineOf(await chartOf(page, "group-0-peer-bytes"), "sent").data;
    assert.deepEqual(sent, summary.per_peer.map((peer) => peer.bytes_sent));
    const links = summary.per_peer.flatMap(({ peer, sent_to }) => sent_to.map((to) => ({ name: `${peer} → ${to.peer}`, bytes: to.bytes,
      waited: summary.per_peer[to.peer].waited_for.find((from) => from.peer === peer)?.seconds ?? 0 })));
    const rows = await page.locator("#group-0-peers .links tbody tr").all();
    assert.equal(links.length, 8);  // both ways of the ring's four
    assert.equal(rows.length, links.filter(({ waited }) => waited > 0).length);
    assert.ok(rows.length > 0);
    let longest = Infinity;
    for (const row of rows) {
      const name = await row.locator("th").textContent();
      const { waited } = links.find((link) => link.name === name);
      assert.ok(waited <= longest);
      longest = waited;
    }
  }));

  for (const viewport of [screens.desktop, screens.phone])
    test(`what 128 peers did are dots of a size that can be seen, each kind in its own, at a width of ${viewport.width}`, () => inPage("many.html", { viewport }, async ({ page }) => {
      for (const figure of ["group-0-peer-time", "group-0-peer-bytes"]) {
        const kinds = await page.evaluate((id) => {
          const chart = Chart.getChart(document.getElementById(id).querySelector("canvas"));
          return chart.data.datasets.map(({ showLine }, k) => ({ showLine, radii: chart.getDatasetMeta(k).data.map(({ options }) => options.radius) }));
        }, figure);
        for (const { showLine, radii } of kinds) {
          assert.equal(showLine, false);
          assert.equal(radii.length, 128);
          assert.ok(Math.min(...radii) >= 2);
        }
        assert.equal(new Set(kinds.map(({ radii }) => radii[0])).size, kinds.length);
      }
    }));

  test("of more than 1,000 peers the page has the ten that waited longest, and quantiles of all", () => inPage("most.html", {}, async ({ page, trouble }) => {
    const { peer_statistics: { columns } } = readJson(folder, "most", "summary.json");
    const peers = page.locator("#group-0-peers");
    assert.match(await peers.locator(".note").first().innerText(), /^The 10 of 1,001 peers that waited longest/);
    assert.deepEqual(await page.evaluate(() => Chart.getChart(document.querySelector("#group-0-peer-bytes canvas")).data.labels.map(Number)), columns.wait_seconds.worst.toSorted((a, b) => a - b));
    assert.equal(await peers.locator(".everyone h4").innerText(), "All 1,001 peers");
    const sent = peers.locator(".everyone tbody tr").filter({ hasText: /^sent/ });
    const cells = await sent.locator("td").allInnerTexts();
    assert.equal(cells.length, 8);
    const { least, total } = columns.bytes_sent;
    for (const [k, bytes] of [[0, least], [7, total]]) assert.ok(Math.abs(Number.parseFloat(cells[k].replaceAll(",", "")) - bytes / 1e6) < .006, `${cells[k]} of ${bytes} bytes`);
    assert.deepEqual(trouble, []);
  }));

  test("what no peer did has no bar, and no place in the legend", () => inPage("runs.html", {}, async ({ page }) => {
    const summary = readJson(folder, "good", "summary.json");
    const expected = [["computing", "compute_seconds"], ["waiting", "wait_seconds"], ["own port sending (meanwhile)", "wire_seconds"]]
      .filter(([, key]) => summary.per_peer.some((peer) => peer[key] > 0)).map(([name]) => name);
    assert.ok(expected.length < 3);
    assert.deepEqual((await chartOf(page, "group-0-peer-time")).lines.map(({ label }) => label), expected);
  }));

  test("the run file of a run alone is open; with many, each is when it is asked for", async () => {
    await inPage("many.html", {}, async ({ page }) => assert.ok(await page.locator("#group-0-place pre").isVisible()));
    await inPage("runs.html", {}, async ({ page }) => assert.equal(await page.locator("#group-0-place pre").count(), 0));
  });

  test("the map of winners is of the loss and of the accuracy, too, and equal ones share a cell", () => inPage("sweep.html", {}, async ({ page }) => {
    const section = page.locator("#group-0-winners");
    assert.equal(await section.locator("h3").textContent(), "Which is first");
    await section.getByLabel("By", { exact: true }).selectOption("loss at the end");
    assert.equal(await section.locator("h3").textContent(), "Which has the least loss");
    const { points } = readJson(folder, "sweep", "sweep.json");
    const here = points.filter(({ axes }) => axes["network.latency"] === latencies[0] && axes["network.bandwidth"] === bandwidths[0]);
    const least = here.reduce((a, b) => (a.loss <= b.loss ? a : b));
    const [baseline] = here.filter(({ variant }) => variant === "plain");
    const text = await section.locator(".heat td.cell").first().textContent();
    if (here.filter(({ loss }) => loss === least.loss).length > 1) assert.ok(text.includes(": equal"), text);
    else assert.ok(text.includes(least.variant) && text.includes(least.loss.toPrecision(4).replace(/0+$/, "")), text);
    if (least !== baseline) assert.ok(text.includes("lower") || text.includes("baseline among them"), text);
    assert.equal(await section.getByLabel("By", { exact: true }).locator("option", { hasText: "accuracy" }).count(), 0);  // a quadratic has none
    assert.ok((await linkOf(page, "winners.by")).length > 0);
  }));

  test("an axis has numbers where all values are equal", () => inPage("sweep.html", {}, async ({ page }) => {
    // What is learned does not depend on the network.
    await page.locator("#group-0-along").getByLabel("Show", { exact: true }).selectOption("Loss at the end");
    for (const name of ["8 bit", "plain"]) {
      const labels = await page.evaluate(() => Chart.getChart(document.querySelector("#group-0-curves canvas")).scales.y.ticks.map(({ label }) => label).filter(Boolean));
      assert.ok(labels.length >= 2, `${labels}`);
      await page.locator("#group-0-along .legend button", { hasText: name }).click();
    }
  }));

  test("the run file can be read and copied", () => inPage("sweep.html", { permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
    await unfold(page.getByText("8 bit: run.toml"));
    const text = readFileSync(join(folder, "sweep", folderOf("8 bit", [1, 0]), "run.toml"), "utf8");
    assert.equal(await page.locator("#group-0-place pre").textContent(), text);
    await page.locator("#group-0-place").getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  }));

  test("the topology is drawn, with its spectral gap", () => inPage("sweep.html", {}, async ({ page }) => {
    const picture = page.locator("#group-0-place img.topology");
    assert.equal(await picture.count(), 1);
    assert.ok(await picture.evaluate((image) => image.complete && image.naturalWidth > 0));
    const gap = readJson(folder, "sweep", folderOf("plain", [1, 0]), "summary.json").spectral_gap;
    assert.ok((await page.locator("#group-0-place .facts").textContent()).includes(gap.toPrecision(4).replace(/0+$/, "")));
  }));

  test("a chart's numbers can be read as a table", () => inPage("sweep.html", {}, async ({ page }) => {
    await unfold(page.locator("#group-0-loss summary"));
    const evaluations = readLines(folder, "sweep", folderOf("plain", [1, 0]), "metrics.jsonl").length;
    await page.locator("#group-0-loss tbody tr").nth(evaluations - 1).waitFor();
  }));

  test("with the keyboard alone: tab to the legend, space hides", () => inPage("sweep.html", {}, async ({ page }) => {
    const isThere = () => page.evaluate(() => document.activeElement.closest("#group-0-training .legend") !== null);
    for (let presses = 0; presses < 100 && !(await isThere()); ++presses) await page.keyboard.press("Tab");
    assert.ok(await isThere());
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), "none");
    await page.keyboard.press("Space");
    assert.equal(lineOf(await chartOf(page, "group-0-loss"), variants[0]), undefined);
    await page.keyboard.press("Space");
    assert.ok(lineOf(await chartOf(page, "group-0-loss"), variants[0]));
  }));

  test("whoever chooses with the keyboard keeps the focus", () => inPage("sweep.html", {}, async ({ page }) => {
    const select = page.locator("#group-0-training").getByLabel("bandwidth");
    await select.focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await select.inputValue(), "1 Gbit/s");
    assert.ok(await select.evaluate((one) => one === document.activeElement));
    const cell = page.locator(".heat button").nth(1);
    await cell.focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator(".heat button").nth(1).evaluate((one) => one === document.activeElement));
  }));

  test("light or dark as the system is, or as the switch says; the text is readable in both", () => inPage("sweep.html", { colorScheme: "dark" }, async ({ page }) => {
    const contrast = () => page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const channels = style.getPropertyValue(`--${name}`).trim().slice(1).match(/../g).map((pair) => parseInt(pair, 16) / 255)
          .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2];
      };
      const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
      return { dark: light("page") < 0.1, text: Math.min(...["text", "muted", "accent"].flatMap((name) => [ratio(name, "page"), ratio(name, "surface")])),
        lines: Math.min(...Array.from({ length: 8 }, (_, k) => ratio(`series-${k}`, "surface"))) };
    });
    const dark = await contrast();
    assert.ok(dark.dark && dark.text >= 4.5 && dark.lines >= 3, JSON.stringify(dark));
    const before = lineOf(await chartOf(page, "group-0-loss"), "plain").borderColor;
    await page.getByRole("button", { name: "Light colors" }).click();
    const light = await contrast();
    assert.ok(!light.dark && light.text >= 4.5 && light.lines >= 3, JSON.stringify(light));
    assert.notEqual(lineOf(await chartOf(page, "group-0-loss"), "plain").borderColor, before);
  }));

  for (const file of ["sweep.html", "runs.html"])
    test(`${file} fits a phone: only tables scroll sideways`, () => inPage(file, { viewport: screens.phone, isMobile: true, hasTouch: true }, async ({ page }) => {
      for (const summary of await page.locator("summary:visible").all()) await summary.click();
      const tooWide = await page.evaluate(() => [...document.querySelectorAll("body *")]
        .filter((one) => !one.closest(".scrolls, pre, .unseen, .skip") && one.getBoundingClientRect().right > innerWidth + 0.5)
        .map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}`));
      assert.deepEqual(tooWide, []);
      assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= 390));
    }));
});
