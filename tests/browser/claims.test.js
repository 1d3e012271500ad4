// Sweeps with claims, and what they say of themselves, in a real browser.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser } from "./browser.js";
import { hearsay, quadraticRun, readJson, write } from "./hearsay.js";
import { chartOf, inReport, lineOf } from "./pages.js";

const hostile = "<img src=x onerror=window.pwned=1>";
const variants = `
[[sweep.variant]]
name = "least"
algorithm.kind = "allreduce-sgd"
[[sweep.variant]]
name = "slow"
algorithm.kind = "allreduce-sgd"
algorithm.step_size = 0.001
[[sweep.variant]]
name = "8 bit"
algorithm.kind = "dcd-psgd"
`;
const gap = `
[[sweep.claim]]
says = "so near"
figure = "loss"
minus = "least"
ascending = ["8 bit", 123.5]
[[sweep.claim]]
says = "few bytes"
figure = "bytes_sent"
ascending = ["8 bit", "slow"]
`;

let folder;
let browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "hearsay-claims-"));
  const sweep = (name, table, claims) => {
    write(folder, `${name}.toml`, `${quadraticRun}[sweep]\ndriver = "simulate"\n${table}\n${variants}${claims}`);
    hearsay(folder, ["sweep", `${name}.toml`, "--output", name, "--quiet"], [0, 5]);
  };
  sweep("z-gap", `title = "A, B 2019: the gap"\nnot_reproduced = ["C is not here.", "${hostile}"]`, gap);
  sweep("seeds", `title = "A, B 2019: the gap"\nrepeat = 2`, gap);
  sweep("places", `network.bandwidth = ["1 Mbit/s", "10 Mbit/s", "100 Mbit/s"]\nnetwork.latency = ["1 ms", "5 ms", "20 ms"]`, `
[[sweep.claim]]
says = "it takes its time"
at.network.latency = "20 ms"
figure = "seconds"
ascending = [0.125, "slow"]
`);
  sweep("names", `data.partition = ["iid", "by-label"]`, gap);
  sweep("plain", `network.bandwidth = ["1 Mbit/s", "10 Mbit/s"]`, "");
  hearsay(folder, ["report", "z-gap", "seeds", "places", "names", "plain", "--output", "all.html"]);
  hearsay(folder, ["report", "z-gap", "--output", "one.html"]);
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const inPage = (body) => inReport(browser, folder, "all.html", {}, body);
const pointsOf = (sweep) => readJson(folder, sweep, "sweep.json").points;
const lossOf = (sweep, variant) => pointsOf(sweep).find((point) => point.variant === variant).loss;
const chosen = (section) => section.getByLabel("Show").locator("option:checked").textContent();
const firstFigure = (page, group) => page.locator(`#group-${group} section:not([id$=compare])`).first();
const rowsOf = (section) => section.locator("tbody tr").evaluateAll((rows) => rows.map((row) => ({
  texts: [...row.cells].map((cell) => cell.textContent.trim()), width: parseFloat(row.querySelector(".bar")?.style.width ?? "0") })));

describe("claims", () => {
  test("the contents and the headings have the titles, in the order of the command line", () => inPage(async ({ page, trouble }) => {
    assert.deepEqual((await page.locator("nav.contents button:not(.unreproduced)").allTextContents()).map((text) => text.split(/: \d/)[0]),
      ["A, B 2019: the gap (z-gap)", "A, B 2019: the gap (seeds)", "places", "names", "plain"]);
    assert.deepEqual(await page.locator("h2").allTextContents(),
      ["A, B 2019: the gap (z-gap)", "A, B 2019: the gap (seeds)", "Sweep: places", "Sweep: names", "Sweep: plain"]);
    assert.deepEqual(trouble, []);
  }));

  test("the contents mark what did not reproduce, and lead there", () => inPage(async ({ page }) => {
    const marks = page.locator("nav.contents .unreproduced");
    assert.deepEqual(await marks.allTextContents(), ["2 not reproduced"]);
    assert.equal(await marks.getAttribute("aria-label"), "A, B 2019: the gap (z-gap): 2 not reproduced");
    const list = page.getByRole("list", { name: "Did not reproduce" });
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await marks.evaluate((button) => button.click());  // a click of the mouse would scroll to the button first
    const top = await list.evaluate((element) => element.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 200, `${top}`);
    assert.ok(await page.getByRole("heading", { name: "Did not reproduce" }).evaluate((heading) => heading.getBoundingClientRect().top >= 0));
  }));

  test("a title is in sight if the page has one sweep only", () => inReport(browser, folder, "one.html", {}, async ({ page }) => {
    assert.equal(await page.locator("h2:not(.unseen)").textContent(), "A, B 2019: the gap (z-gap)");
  }));

  test("what did not reproduce stands below the claims, as text", () => inPage(async ({ page }) => {
    assert.deepEqual(await page.getByRole("list", { name: "Did not reproduce" }).locator("li").allTextContents(), ["C is not here.", hostile]);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.getByRole("heading", { name: "Did not reproduce" }).count(), 1);
    const [claims, failed] = await page.locator("#group-0 ul.claims, #group-0 ul.failed").evaluateAll((lists) => lists.map((list) => list.className));
    assert.deepEqual([claims, failed], ["claims", "failed"]);
  }));

  test("what was measured is told in words that say whose it is", () => inPage(async ({ page }) => {
    const measured = await page.locator("#group-0 .measured").allTextContents();
    assert.match(measured[0], /^loss minus that of least: 8 bit .* < 123\.5$/);
    assert.match(measured[1], /^bytes sent by all peers: 8 bit .* < slow/);
  }));

  test("the first figure is the first claim's: its differences, and its bound", () => inPage(async ({ page }) => {
    const section = firstFigure(page, 0);
    assert.equal(await chosen(section), "Loss at the end minus that of least");
    assert.match(await section.textContent(), /What the first claim is about: so near\./);
    const rows = await rowsOf(section);
    assert.deepEqual(rows.map(({ texts }) => texts[0].replace(/^\S /, "")), ["least", "slow", "8 bit", "bound of the claim"]);
    for (const [k, variant] of [[1, "slow"], [2, "8 bit"]]) {
      const difference = lossOf("z-gap", variant) - lossOf("z-gap", "least");
      assert.ok(Math.abs(Number(rows[k].texts[1].replaceAll(",", "")) / difference - 1) < 1e-4, `${variant} ${rows[k].texts[1]} ${difference}`);
    }
    assert.equal(rows[0].texts[1], "0");
    assert.equal(rows[3].texts[1], "123.5");
  }));

  test("bars of differences by decades are logarithmic, and those of times never", () => inPage(async ({ page }) => {
    const section = firstFigure(page, 0);
    const ratio = (rows) => rows[1].width / rows[2].width;
    assert.equal(await section.getByLabel("log scale").isChecked(), true);
    assert.match(await section.textContent(), /The bars are logarithmic and begin at/);
    const logarithmic = ratio(await rowsOf(section));
    await section.getByLabel("log scale").uncheck();
    const linear = ratio(await rowsOf(section));
    assert.ok(Math.abs(linear / ((lossOf("z-gap", "slow") - lossOf("z-gap", "least")) / (lossOf("z-gap", "8 bit") - lossOf("z-gap", "least"))) - 1) < 1e-3);
    assert.ok(logarithmic < linear);
    await section.getByLabel("Show").selectOption("Time per iteration");
    assert.equal(await section.getByLabel("log scale").isChecked(), false);
    assert.doesNotMatch(await section.textContent(), /first claim|bound of the claim/);
    await section.getByLabel("Show").selectOption("MB sent by all peers");
    const sent = await rowsOf(section);
    assert.ok(Math.abs(parseFloat(sent[1].texts[1]) / (pointsOf("z-gap").find(({ variant }) => variant === "slow").bytes_sent / 1e6) - 1) < 1e-3);
  }));

  test("with repeats the difference is the mean over the seeds", () => inPage(async ({ page }) => {
    const section = firstFigure(page, 1);
    assert.equal(await chosen(section), "Loss at the end minus that of least");
    const mean = (name) => { const losses = pointsOf("seeds").filter(({ variant }) => variant === name).map(({ loss }) => loss); return losses.reduce((a, b) => a + b) / losses.length; };
    const slow = (await rowsOf(section)).find(({ texts }) => texts[0].endsWith("slow")).texts[1];
    assert.ok(Math.abs(parseFloat(slow.replaceAll(",", "")) / (mean("slow") - mean("least")) - 1) < 1e-4, slow);
  }));

  test("a claim about a place is shown there, against the axis that it leaves open", () => inPage(async ({ page }) => {
    const section = firstFigure(page, 2);
    assert.equal(await section.getAttribute("id"), "group-2-along");
    assert.equal(await chosen(section), "Time");
    assert.equal(await section.getByLabel("Against").locator("option:checked").textContent(), "bandwidth");
    assert.equal(await section.getByLabel("latency", { exact: true }).locator("option:checked").textContent(), "20 ms");
    const chart = await chartOf(page, "group-2-curves");
    const times = pointsOf("places").filter(({ variant, axes }) => variant === "slow" && axes["network.latency"] === "20 ms").map(({ seconds }) => seconds);
    assert.equal(times.length, 3);
    for (const [k, { y }] of lineOf(chart, "slow").data.entries()) assert.ok(Math.abs(y / times[k] - 1) < 1e-6);
    assert.deepEqual(lineOf(chart, "bound 125 ms").data.map(({ y }) => y), [0.125, 0.125]);
    await section.getByLabel("Show").selectOption("Loss at the end");
    assert.equal((await chartOf(page, "group-2-curves")).lines.length, 3);
  }));

  test("a bound spans all names along an axis that has no order", () => inPage(async ({ page }) => {
    const chart = await chartOf(page, "group-3-curves");
    assert.equal(chart.y.title, "Loss at the end, difference (log)");
    assert.deepEqual(lineOf(chart, "bound 123.5").data.map(({ x }) => x), [-0.5, 1.5]);
    assert.deepEqual(["least", "slow", "8 bit"].map((name) => lineOf(chart, name).data.map(({ x }) => Math.round(x) + 0)), [[0, 1], [0, 1], [0, 1]]);
  }));

  test("the training curves open above the loss at the end of the variant that the claim takes from the others", () => inPage(async ({ page }) => {
    assert.equal((await chartOf(page, "group-0-loss")).y.title.startsWith("loss above least at its end"), true);
    assert.equal((await chartOf(page, "group-2-loss")).y.title.startsWith("loss above"), false);
  }));

  test("a sweep without claims opens on the winners and on time", () => inPage(async ({ page }) => {
    assert.equal(await firstFigure(page, 4).getAttribute("id"), "group-4-winners");
    assert.match(await chosen(page.locator("#group-4-along")), /^Time/);
  }));
});
