// The page of a sweep with repeats: means, intervals, and ties.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { cpSync, mkdirSync, readFileSync, rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { openBrowser } from "./browser.js";
import { hearsay, readJson, write } from "./hearsay.js";
import { inReport, unfold } from "./pages.js";

let folder;
let browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "hearsay-repeats-"));
  // Two variants that differ in nothing, and one that sends a quarter.
  write(folder, "sweep.toml", `[run]
iterations = 40
evaluate_every = 2
target_loss = 1.2
[data]
source = "synthetic(samples=400, features=40, classes=8)"
[topology]
peers = 4
[algorithm]
step_size = 0.2
batch = 8
[network]
compute = "lognormal(2 ms, 0.5)"
[sweep]
driver = "simulate"
baseline = "plain"
repeat = 6
"network.bandwidth" = ["1 Mbit/s", "10 Gbit/s"]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "plain again"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "8 bit"
algorithm.kind = "choco-sgd"
algorithm.compressor = "dither(linf, bits=8, bucket=512)"
`);
  hearsay(folder, ["sweep", "sweep.toml", "--output", "sweep", "--quiet"]);
  hearsay(folder, ["report", "sweep", "--output", "sweep.html"]);
  reportOf("fewer-seeds", (record) => record.points.filter(({ variant, seed }) => variant !== "8 bit" || seed < record.repeats));
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/// Writes NAME.html, the page of the same sweep with other points.
function reportOf(name, pointsOf) {
  cpSync(join(folder, "sweep"), join(folder, name), { recursive: true });
  const { crc32, ...record } = readJson(folder, name, "sweep.json"); // the checksum is of the file as it was
  write(join(folder, name), "sweep.json", JSON.stringify({ ...record, points: pointsOf(record) }));
  hearsay(folder, ["report", name, "--output", `${name}.html`]);
}

/// Writes long.html, the page of a sweep whose seeds end at these iterations, with the same loss at each until then.
function writeLongRuns(ends) {
  const points = ends.map((end, k) => {
    const place = join("long", `seed-${k + 1}`);
    mkdirSync(join(folder, place), { recursive: true });
    write(folder, join(place, "run.toml"), `[run]\nseed = ${k + 1}\n`);
    const lines = Array.from({ length: end + 1 }, (_, iteration) => JSON.stringify({ iteration, epoch: iteration, seconds: iteration, loss: 1000 / (1 + iteration) }));
    write(folder, join(place, "metrics.jsonl"), `${lines.join("\n")}\n`);
    write(folder, join(place, "summary.json"), JSON.stringify({ status: "target", run: "A", iterations: end }));
    return { variant: "A", axes: {}, seed: k + 1, folder: `seed-${k + 1}`, status: "target" };
  });
  write(join(folder, "long"), "sweep.json", JSON.stringify({ driver: "simulator", repeats: ends.length, points }));
  hearsay(folder, ["report", "long", "--output", "long.html"]);
}

const inPage = (action, file = "sweep.html") => inReport(browser, folder, file, {}, async ({ page, trouble }) => {
  await action(page);
  assert.deepEqual(trouble, []);
});

const datasetsOf = (page, id) => page.evaluate((name) => Chart.getChart(document.querySelector(`#${name} canvas`)).data.datasets
  .map(({ label, data, fill }) => ({ label, data, fill })), id);
const cellsOf = (variant) => readJson(folder, "sweep", "sweep.json").cells.filter((cell) => cell.variant === variant);
const nearly = (one, other) => assert.ok(Math.abs(one / other - 1) < 1e-6, `${one} is ${other}`);

describe("a sweep with repeats", () => {
  test("the statistics of the page are those that are worked out by hand", () => {
    const source = readFileSync(new URL("../../tools/report/page/repeats.js", import.meta.url), "utf8");
    const { estimateMean, estimateRatio } = runInNewContext(`${source}; ({ estimateMean, estimateRatio })`);
    const mean = estimateMean([2, 3, 4, 5, 6], [12.706, 4.303, 3.182, 2.776]);
    const ratio = estimateRatio([1.1, 1.08, 1.12, 1.1], [12.706, 4.303, 3.182]);
    assert.equal(mean.mean, 4);
    nearly(mean.low, 4 - 2.776 * Math.sqrt(2.5 / 5));
    nearly(ratio.mean, (1.1 * 1.08 * 1.12 * 1.1) ** 0.25);
    assert.ok(ratio.low > 1);
    assert.equal(estimateMean([], []), null);
    assert.equal(estimateMean([3], []).low, null);
  });

  test("a line along an axis is the mean over the seeds, with its 95 % band, as in sweep.json", () => inPage(async (page) => {
    await page.locator("#group-0-along").getByLabel("Show", { exact: true }).selectOption("Time to the target");
    const datasets = await datasetsOf(page, "group-0-curves");
    const cells = cellsOf("8 bit");
    const line = datasets.find(({ label }) => label === "8 bit").data;
    const [low, high] = datasets.filter(({ label }) => label === "8 bit, 95 % interval");
    assert.equal(line.length, 2);
    assert.equal(high.fill, "-1");
    for (const [k, { figures }] of cells.entries()) {
      nearly(line[k].y, figures.seconds_to_target.mean);
      nearly(low.data[k].y, figures.seconds_to_target.low);
      nearly(high.data[k].y, figures.seconds_to_target.high);
    }
    await page.locator("#group-0-along").getByLabel("Show", { exact: true }).selectOption("Speed-up over the baseline");
    const gains = (await datasetsOf(page, "group-0-curves")).find(({ label }) => label === "8 bit").data;
    for (const [k, { figures }] of cells.entries()) {
      nearly(gains[k].y, figures.speed_up.mean);
      nearly(gains[k].ends[0], figures.speed_up.low);
    }
  }));

  test("a mean is of the runs that came to their end, whatever is measured", () => {
    const { points } = readJson(folder, "sweep", "sweep.json");
    // Of all seeds but the first, on the first network.
    const others = (variant, key) => points.filter((point) => point.variant === variant && point.seed > 1 && point.axes["network.bandwidth"] === "1 Mbit/s")
      .map((point) => readJson(folder, "sweep", point.folder, "summary.json")[key]);
    reportOf("interrupted", () => points.map((point) => (point.seed === 1 && point.variant !== "plain again" ? { ...point, status: "interrupted" } : point)));
    return inPage(async (page) => {
      const show = page.locator("#group-0-along").getByLabel("Show", { exact: true });
      const firstOf = async (label) => (await datasetsOf(page, "group-0-curves")).find((line) => line.label === label).data[0].y;
      await show.selectOption("Loss at the end");
      nearly(await firstOf("8 bit"), others("8 bit", "loss").reduce((a, b) => a + b) / 5);
      // Nor is anything compared with a run of the baseline that did not.
      await show.selectOption("Speed-up over the baseline");
      const gains = others("plain", "seconds_to_target").map((seconds, k) => seconds / others("plain again", "seconds_to_target")[k]);
      nearly(await firstOf("plain again"), gains.reduce((a, b) => a * b) ** (1 / 5));
    }, "interrupted.html");
  });

  test("a training curve is one line per variant, the mean as far as all seeds go", () => inPage(async (page) => {
    await page.getByRole("radio", { name: "Iterations" }).check();
    const datasets = await datasetsOf(page, "group-0-loss");
    assert.deepEqual(datasets.filter(({ label }) => !label.endsWith("interval")).map(({ label }) => label), ["plain", "plain again", "8 bit", "target loss"]);
    const { points } = readJson(folder, "sweep", "sweep.json");
    const ends = points.filter(({ variant }) => variant === "plain").map(({ iterations }) => iterations);
    assert.equal(datasets.find(({ label }) => label === "plain").data.at(-1).x, Math.min(...ends));
    assert.ok(datasets.filter(({ label }) => label === "plain, 95 % interval").every(({ data }) => data.length > 2));
  }));

  test("a mean curve is of equal iterations, of runs that are so long that they are thinned differently, too", () => {
    writeLongRuns([1452, 926, 2920]);  // where the seeds end
    return inPage(async (page) => {
      await page.getByRole("radio", { name: "Iterations" }).check();
      const { data } = (await datasetsOf(page, "group-0-loss")).find(({ label }) => label === "A");
      assert.ok(data.length > 100);
      for (const { x, y } of data) nearly(y, 1000 / (1 + x));
      assert.ok(data.at(-1).x > 900 && data.at(-1).x <= 926);
    }, "long.html");
  });

  test("who is not ahead by more than the interval has not won: the cell says tie", () => inPage(async (page) => {
    const texts = await page.locator("#group-0-winners .heat td.cell").allTextContents();
    assert.equal(texts.length, 2);
    assert.match(texts[0], /8 bit/);  // on 1 Mbit/s a quarter of the bytes decides
    assert.match(texts[1], /tie/);    // on 10 Gbit/s nothing does
    assert.match(await page.locator("#group-0-winners .heat td.tie button").getAttribute("aria-label"), /tie of plain, plain again and 8 bit/);
    assert.match(await page.locator("#group-0-winners .summary").textContent(), /A tie on 1 of 2 networks/);
  }));

  test("while one variant still lacks a seed, nobody wins by having tried more of them", () => inPage(async (page) => {
    const texts = await page.locator("#group-0-winners .heat td.cell").allTextContents();
    assert.match(texts[0], /8 bit/);
    assert.match(texts[1], /tie/);
    assert.match(await page.locator("#group-0-winners .heat td.tie button").getAttribute("aria-label"), /8 bit/);
  }, "fewer-seeds.html"));

  test("who came to the target with more of the seeds that both tried is first, an interrupted run aside", () => {
    const sources = ["format", "repeats", "winners"].map((name) => readFileSync(new URL(`../../tools/report/page/${name}.js`, import.meta.url), "utf8"));
    const { winnerAt } = runInNewContext(`${sources.join("\n")}; ({ winnerAt })`);
    const winnerOf = (...variants) => {
      const points = variants.map((ends) => ends.map((end, seed) => (end === null ? null : { seed, status: end > 0 ? "target" : end, facts: { seconds_to_target: end > 0 ? end : null } })).filter(Boolean));
      const group = { isRepeated: true, baseline: null, quantiles: [12.706, 4.303, 3.182], indices: () => points.map((_, k) => k), pointsAt: (series) => points[series] };
      const { series, ties } = winnerAt(group, [], { isTime: true, noGain: 1, of: ({ facts }) => facts.seconds_to_target });
      return [series, ...ties];
    };
    assert.deepEqual(winnerOf([4, 4.1, 4.2], [1, 1.1, "done"]), [0]);          // came there more often
    assert.deepEqual(winnerOf([4, 4.1, 4.2], [1, 1.1, null]), [1]);            // has not tried the last
    assert.deepEqual(winnerOf([4, 4.1, 4.2], [1, 1.1, "interrupted"]), [1]);
    assert.deepEqual(winnerOf([4, 4.1, "diverged"], [1, 1.1, null]), [1]);     // failed where the other did nothing
    assert.deepEqual(winnerOf([4, 4.1, "lost", "done"], [9, 9, 9, null]), [1]);
    assert.deepEqual(winnerOf([4, null, null], [1, 1.1, 1.2]), [1, 0]);        // one seed proves nothing
    assert.deepEqual(winnerOf([4, null], [null, 1]), [0, 1]);                  // they have none in common
  });

  test("the most accurate is ahead by more than the interval of the differences seed by seed, or it is a tie", () => inPage(async (page) => {
    const section = page.locator("#group-0-winners");
    for (const [by, heading] of [["accuracy at the end", "Which is most accurate"], ["loss at the end", "Which has the least loss"]]) {
      await section.getByLabel("By", { exact: true }).selectOption(by);
      assert.equal(await section.locator("h3").textContent(), heading);
      const key = by.split(" ")[0];
      const { points } = readJson(folder, "sweep", "sweep.json");
      for (const [k, bandwidth] of ["1 Mbit/s", "10 Gbit/s"].entries()) {
        const of = (variant) => points.filter((point) => point.variant === variant && point.axes["network.bandwidth"] === bandwidth).map((point) => (key === "loss" ? point.loss : -point.accuracy));
        const mean = (numbers) => numbers.reduce((a, b) => a + b) / numbers.length;
        const [first, ...others] = ["plain", "plain again", "8 bit"].sort((a, b) => mean(of(a)) - mean(of(b)));
        const isBeaten = (other) => {
          const gains = of(first).map((own, seed) => of(other)[seed] - own);
          const deviation = Math.sqrt(gains.reduce((sum, gain) => sum + (gain - mean(gains)) ** 2, 0) / (gains.length - 1));
          return mean(gains) - (2.571 * deviation) / Math.sqrt(gains.length) > 0;
        };
        const text = await section.locator(".heat td.cell").nth(k).textContent();
        if (others.every(isBeaten)) assert.ok(text.includes(first), text);
        else assert.match(text, /tie/);
      }
    }
  }));

  test("of the seeds of a variant, one run file stands for all", () => inPage(async (page) => {
    const names = await page.locator("#group-0-place summary").allTextContents();
    assert.deepEqual(names, ["plain", "plain again", "8 bit"].map((name) => `${name}, seed 1, one of 6 seeds: run.toml`));
  }));

  test("an interval of an accuracy may go beyond 100 %, the axis does not", async () => {
    write(folder, "accurate.toml", `[run]
iterations = 12
evaluate_every = 4
[data]
source = "synthetic(samples=64, features=10, classes=2)"
[topology]
peers = 2
[algorithm]
kind = "d-psgd"
step_size = 0.5
[sweep]
driver = "simulate"
repeat = 3
network.latency = ["1 ms", "2 ms"]
`);
    hearsay(folder, ["sweep", "accurate.toml", "--output", "accurate", "--quiet"]);
    hearsay(folder, ["report", "accurate", "--output", "accurate.html"]);
    const accuracy = readJson(folder, "accurate", "sweep.json").cells[0].figures.accuracy;
    assert.ok(accuracy.high > 1);
    await inPage(async (page) => {
      await page.locator("#group-0-along").getByLabel("Show", { exact: true }).selectOption("Accuracy at the end");
      for (const id of ["group-0-accuracy", "group-0-along"]) {
        const ends = (await datasetsOf(page, id)).flatMap(({ data }) => data.map(({ y }) => y));
        assert.ok(Math.max(...ends) > 100, id);
        assert.ok(await page.evaluate((name) => Chart.getChart(document.querySelector(`#${name} canvas`)).scales.y.max <= 100, id), id);
      }
    }, "accurate.html");
  });

  test("the table of all points says their seeds", () => inPage(async (page) => {
    await unfold(page.getByText("All points in a table"));
    assert.ok((await page.locator(".overview th").allTextContents()).includes("seed"));
    assert.equal(await page.locator(".overview tbody tr").count(), 3 * 2 * 6);
  }));
});
