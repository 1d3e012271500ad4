// A chart of the page in a real browser: read, zoomed, smoothed, and taken along.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser } from "./browser.js";
import { hearsay, quadraticRun, readLines, write } from "./hearsay.js";
import { chartOf, colorsOfPng, inReport, lineOf, linkOf } from "./pages.js";

const names = ["plain", `a "b", c`, "slow"];

let folder;
let browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "hearsay-charts-"));
  write(folder, "run.toml", quadraticRun);
  for (const [k, name] of names.entries())
    hearsay(folder, ["simulate", "run.toml", "--output", `run-${k}`, "--quiet", "--set", `run.name='${name}'`, "--set", `network.compute="${k + 1} ms"`,
      "--set", `algorithm.step_size=${0.1 + 0.1 * k}`]);
  hearsay(folder, ["report", "run-0", "run-1", "run-2", "--output", "runs.html"]);
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const inPage = (options, body) => inReport(browser, folder, "runs.html", { fragment: "#0.against=Iterations", ...options }, body);
const evaluationsOf = (run) => readLines(folder, `run-${run}`, "metrics.jsonl");

/// Where a share of the chart's width is, on the screen.
async function across(page, figure, share) {
  const canvas = page.locator(`#${figure} canvas`);
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const { left, right, top, bottom } = (await chartOf(page, figure)).area;
  return [box.x + left + share * (right - left), box.y + (top + bottom) / 2];
}

async function drag(page, figure, from, to) {
  await page.mouse.move(...await across(page, figure, from));
  await page.mouse.down();
  await page.mouse.move(...await across(page, figure, (from + to) / 2));
  await page.mouse.move(...await across(page, figure, to));
  await page.mouse.up();
}

async function downloaded(page, figure, which) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`#${figure} .exports`).getByText(which, { exact: true }).click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/// The rows of a CSV file after RFC 4180.
function rowsOf(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows.filter((row) => row.length > 1);
}

describe("charts", () => {
  test("the pointer reads every line at one place", () => inPage({}, async ({ page }) => {
    await page.mouse.move(...await across(page, "group-0-loss", 0.5));
    const { read } = await chartOf(page, "group-0-loss");
    assert.match(read[0], /^iteration: 10$/);
    assert.equal(read.length, 1 + names.length);
    for (const name of names) assert.ok(read.some((line) => line.includes(name)), read.join());
    const loss = evaluationsOf(0).find(({ iteration }) => iteration === 10).loss;
    const said = Number(read.find((line) => line.includes("plain")).split(": ").at(-1).replaceAll(",", ""));
    assert.ok(Math.abs(said / loss - 1) < 1e-4, `${said} for ${loss}`);
  }));

  test("a line that has its evaluation elsewhere is read with its own place", () => inPage({}, async ({ page }) => {
    await page.getByRole("radio", { name: "Seconds" }).check();
    await page.mouse.move(...await across(page, "group-0-loss", 0.3));
    const { read } = await chartOf(page, "group-0-loss");
    assert.equal(read.length, 1 + names.length);
    // The first of the runs has ended before.
    await page.mouse.move(...await across(page, "group-0-loss", 0.6));
    assert.ok((await chartOf(page, "group-0-loss")).read.every((line) => !line.includes("plain")));
  }));

  test("the arrow keys read a chart, and what they read is said", () => inPage({}, async ({ page }) => {
    await page.locator("#group-0-loss canvas").focus();
    for (let k = 0; k < 3; ++k) await page.keyboard.press("ArrowRight");
    const said = await page.locator("#group-0-loss [role=status]").textContent();
    assert.match(said, /^iteration: 2;/);
    for (const name of names) assert.ok(said.includes(name));
    await page.keyboard.press("ArrowLeft");
    assert.match(await page.locator("#group-0-loss [role=status]").textContent(), /^iteration: 1;/);
    assert.ok(await page.locator("#group-0-loss .hint").isVisible());
  }));

  test("a drag zooms to what it covers, a link keeps that, and a button shows all again", async () => {
    let link;
    let zoomed;
    await inPage({}, async ({ page }) => {
      const reset = page.locator("#group-0-loss").getByRole("button", { name: "Reset zoom" });
      assert.ok(await reset.isHidden());
      const whole = (await chartOf(page, "group-0-loss")).x;
      await drag(page, "group-0-loss", 0.25, 0.5);
      zoomed = (await chartOf(page, "group-0-loss")).x;
      assert.ok(Math.abs(zoomed.min - whole.max / 4) < 0.2 && Math.abs(zoomed.max - whole.max / 2) < 0.2, JSON.stringify(zoomed));
      link = await linkOf(page, "zoom");
      await reset.click();
      assert.deepEqual((await chartOf(page, "group-0-loss")).x, whole);
      assert.ok(await page.locator("#group-0-loss canvas").evaluate((canvas) => canvas === document.activeElement));
    });
    await inPage({ fragment: link }, async ({ page }) => assert.deepEqual((await chartOf(page, "group-0-loss")).x, zoomed));
  });

  test("keys zoom, move and show all again", () => inPage({}, async ({ page }) => {
    const range = async () => { const { min, max } = (await chartOf(page, "group-0-loss")).x; return [min, max]; };
    const whole = await range();
    await page.locator("#group-0-loss canvas").focus();
    await page.keyboard.press("+");
    const nearer = await range();
    assert.ok(nearer[0] > whole[0] && nearer[1] < whole[1]);
    await page.keyboard.press("Shift+ArrowRight");
    const moved = await range();
    assert.ok(moved[0] > nearer[0] && moved[1] > nearer[1]);
    await page.keyboard.press("Escape");
    assert.deepEqual(await range(), whole);
  }));

  test("the wheel with Ctrl zooms about the pointer, and out again; alone it scrolls the page", () => inPage({}, async ({ page }) => {
    const canvas = page.locator("#group-0-loss canvas");
    await canvas.scrollIntoViewIfNeeded();
    const range = async () => { const { min, max } = (await chartOf(page, "group-0-loss")).x; return [min, max]; };
    const whole = await range();
    const { area } = await chartOf(page, "group-0-loss");
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + area.left + (area.right - area.left) / 4, box.y + (area.top + area.bottom) / 2);
    const before = await page.evaluate(() => scrollY);
    await page.mouse.wheel(0, 40);
    await page.waitForFunction((old) => scrollY === old + 40, before);
    assert.deepEqual(await range(), whole);
    await page.mouse.wheel(0, -40);
    await page.waitForFunction((old) => scrollY === old, before);
    const scrolled = await page.evaluate(() => scrollY);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -200);
    await page.waitForFunction((most) => Chart.getChart(document.querySelector("#group-0-loss canvas")).scales.x.max < most, whole[1]);
    const nearer = await range();
    const at = ([min, max]) => (whole[0] + (whole[1] - whole[0]) / 4 - min) / (max - min);
    assert.ok(nearer[1] - nearer[0] < 0.7 * (whole[1] - whole[0]), JSON.stringify(nearer));
    assert.ok(Math.abs(at(nearer) - 0.25) < 0.02, `the pointer stays where it was: ${at(nearer)}`);
    for (let k = 0; k < 4; ++k) await page.mouse.wheel(0, 200);
    await page.waitForFunction((most) => Chart.getChart(document.querySelector("#group-0-loss canvas")).scales.x.max >= most, whole[1]);
    assert.deepEqual(await range(), whole);
    await page.keyboard.up("Control");
    assert.equal(await page.evaluate(() => scrollY), scrolled);
    assert.ok(await page.locator("#group-0-loss").getByText("Zoom: drag, or Ctrl + wheel").isVisible());
  }));

  test("another axis is seen whole, whatever was zoomed into before", () => inPage({}, async ({ page }) => {
    await drag(page, "group-0-loss", 0.25, 0.5);
    await page.getByRole("radio", { name: "Epochs" }).check();
    assert.equal((await chartOf(page, "group-0-loss")).x.min, 0);
  }));

  test("a short logarithmic axis still has three marks", () => inPage({}, async ({ page }) => {
    await page.locator("#group-0-loss").getByLabel("log scale").check();
    const marks = await page.evaluate(() => Chart.getChart(document.querySelector("#group-0-loss canvas")).scales.y.ticks.map(({ label }) => label).filter(Boolean));
    assert.ok(marks.length >= 3, marks.join());
  }));

  test("smoothing draws the moving average over the line as it is", () => inPage({}, async ({ page }) => {
    await page.getByLabel("Smoothing").fill("0.8");
    const chart = await chartOf(page, "group-0-loss");
    const losses = evaluationsOf(0).map(({ loss }) => loss);
    let [sum, weights] = [0, 0];
    for (const loss of losses) [sum, weights] = [0.8 * sum + 0.2 * loss, 0.8 * weights + 0.2];
    assert.ok(Math.abs(lineOf(chart, "plain").data.at(-1).y / (sum / weights) - 1) < 1e-6);
    assert.ok(Math.abs(lineOf(chart, "plain, not smoothed").data.at(-1).y / losses.at(-1) - 1) < 1e-6);
    assert.notEqual(lineOf(chart, "plain").borderColor, lineOf(chart, "plain, not smoothed").borderColor);
    await page.getByLabel("Smoothing").fill("0");
    assert.equal((await chartOf(page, "group-0-loss")).lines.length, names.length);
  }));

  test("a chart's numbers are taken along as CSV, names and all", () => inPage({}, async ({ page, trouble }) => {
    const { name, bytes } = await downloaded(page, "group-0-loss", "CSV");
    assert.equal(name, "loss-against-iteration.csv");
    const rows = rowsOf(bytes.toString());
    assert.deepEqual(rows[0], ["series", "iteration", "loss"]);
    const expected = names.flatMap((of, run) => evaluationsOf(run).map(({ iteration, loss }) => [of, iteration, loss]));
    assert.equal(rows.length, 1 + expected.length);
    for (const [k, [series, x, y]] of rows.slice(1).entries()) {
      assert.equal(series, expected[k][0]);
      assert.equal(Number(x), expected[k][1]);
      assert.ok(Math.abs(Number(y) / expected[k][2] - 1) < 1e-6);
    }
    const bars = rowsOf((await downloaded(page, "group-0-peer-bytes", "CSV")).bytes.toString());
    assert.deepEqual(bars[0], ["peer", "sent", "received"]);
    assert.equal(bars.length, 5);
    assert.deepEqual(trouble, []);
  }));

  test("a chart is taken along as a PNG that has its lines", () => inPage({}, async ({ page, trouble }) => {
    const { name, bytes } = await downloaded(page, "group-0-loss", "PNG");
    assert.equal(name, "loss-against-iteration.png");
    assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [2400, 1350]);
    // Every line's color is in it, and its ground is not transparent.
    const colors = (await chartOf(page, "group-0-loss")).lines.map(({ borderColor }) => borderColor);
    const picture = await colorsOfPng(page, bytes);
    const found = { lines: colors.filter((color) => picture.colors.includes(color)), opaque: picture.opaque };
    assert.deepEqual(found, { lines: colors, opaque: true });
    assert.deepEqual(trouble, []);
  }));
});
