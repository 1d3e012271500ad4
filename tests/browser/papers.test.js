// What the page of a paper's sweep shows at first sight: losses that differ by little, what did not come there, and
// the place that the claims are about.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openBrowser } from "./browser.js";
import { hearsay, quadraticRun, readJson, readLines, temporaryFolder, write } from "./hearsay.js";
import { chartOf, inReport, lineOf, unfold } from "./pages.js";

const nearIsNear = `[[sweep.claim]]
says = "near is near"
figure = "loss"
minus = "optimum"
ascending = ["near", 1]
`;

let browser;

before(async () => { browser = await openBrowser(); });
after(() => browser?.close());

/// Runs the sweep in `text`, and hands its page and its folder to `body`.
async function inPageOf(context, text, body) {
  const folder = temporaryFolder(context);
  write(folder, "sweep.toml", text);
  hearsay(folder, ["sweep", "sweep.toml", "--output", "sweep", "--quiet"], [0, 5]);
  hearsay(folder, ["report", "sweep", "--output", "sweep.html"]);
  await inReport(browser, folder, "sweep.html", {}, async (opened) => {
    await body({ ...opened, folder });
    assert.deepEqual(opened.trouble, []);
  });
}

const rowsOf = (section) => section.locator("tbody tr").evaluateAll((rows) => Object.fromEntries(rows.map((row) =>
  [row.cells[0].textContent.replace(/^\S /, ""), { text: row.cells[1].textContent, bars: row.querySelectorAll(".bar").length }])));

describe("the page of a paper's sweep", () => {
  for (const [seeds, repeat] of [["one seed", ""], ["seeds", "repeat = 2"]])
    test(`who never reaches the target has no bar and the words "not reached", and MB stay MB, with ${seeds}`, (context) => inPageOf(context, `${quadraticRun.replace("[model]", "target_loss = 25.0\n[model]")}
[sweep]
driver = "simulate"
${repeat}
[[sweep.variant]]
name = "plain"
[[sweep.variant]]
name = "too slow"
algorithm.step_size = 1e-6
`, async ({ page }) => {
      const section = page.locator("#group-0-comparison");
      for (const [label, head, text] of [["MB per peer to the target", "MB per peer to the target", / MB/], ["Time to the target", "time to the target", / m?s/]]) {
        await section.getByLabel("Show", { exact: true }).selectOption(label);
        const rows = await rowsOf(section);
        assert.match(rows.plain.text, text);
        assert.deepEqual([rows.plain.bars, rows["too slow"]], [1, { text: "not reached", bars: 0 }]);
        assert.equal(await section.locator("thead th").nth(1).textContent(), head);
      }
    }));

  test("gaps of 1e-12 between losses are drawn, and the baseline lies below the methods", (context) => inPageOf(context, `${quadraticRun.replace("iterations = 20", "iterations = 100")}
[sweep]
driver = "simulate"
[[sweep.variant]]
name = "optimum"
algorithm.kind = "allreduce-sgd"
algorithm.step_size = 0.3
run.iterations = 400
[[sweep.variant]]
name = "near"
algorithm.kind = "allreduce-sgd"
algorithm.step_size = 0.3
${nearIsNear}`, async ({ page, folder }) => {
    const lossesOf = (variant) => readLines(folder, "sweep", variant, "metrics.jsonl").map(({ loss }) => loss);
    const end = lossesOf("optimum").at(-1);
    const gaps = lossesOf("near").map((loss) => loss - end);
    const tiny = lineOf(await chartOf(page, "group-0-loss"), "near").data.filter(({ y }) => y < 1e-10);
    assert.ok(tiny.some(({ y }) => y < 1e-12), JSON.stringify(tiny));
    for (const { x, y } of tiny) assert.equal(y, gaps[x]);
    // What is sorted last is drawn first.
    const order = await page.evaluate(() => Chart.getChart(document.querySelector("#group-0-loss canvas")).getSortedVisibleDatasetMetas().map(({ label }) => label));
    assert.deepEqual(order, ["near", "optimum"]);
  }));

  for (const [floor, claim] of [["above the lowest", ""], ["above optimum at its end", nearIsNear]])
    test(`each seed's loss is drawn ${floor} of its own seed`, (context) => inPageOf(context, `${quadraticRun}
[sweep]
driver = "simulate"
repeat = 3
[[sweep.variant]]
name = "optimum"
algorithm.kind = "allreduce-sgd"
algorithm.step_size = 0.3
run.iterations = 100
[[sweep.variant]]
name = "near"
algorithm.kind = "allreduce-sgd"
algorithm.step_size = 0.3
${claim}`, async ({ page, folder }) => {
      const lossesOf = (variant, seed) => readLines(folder, "sweep", variant, `seed-${seed}`, "metrics.jsonl").map(({ loss }) => loss);
      const seeds = [1, 2, 3];
      const ends = seeds.map((seed) => lossesOf("optimum", seed).at(-1));
      assert.ok(Math.max(...ends) - Math.min(...ends) > 0.1, "the seeds have other optima");
      const show = page.locator("#group-0-loss").getByLabel("Show", { exact: true });
      if (claim) assert.equal(await show.locator("option:checked").textContent(), floor);
      else await show.selectOption(floor);
      const { data } = lineOf(await chartOf(page, "group-0-loss"), "near");
      const last = seeds.map((seed, k) => lossesOf("near", seed).at(-1) - ends[k]);
      const mean = last.reduce((a, b) => a + b) / 3;
      // The optimum, which comes as near to its own end as numbers go, does not stretch the axis.
      const axisBegin = await page.evaluate(() => Chart.getChart(document.querySelector("#group-0-loss canvas")).scales.y.min);
      assert.equal(axisBegin > mean / 100, claim !== "", `${axisBegin}`);
      assert.ok(mean < 1e-2 && Math.abs(data.at(-1).y / mean - 1) < 1e-6, `${data.at(-1).y} ${mean}`);
    }));

  for (const axis of [`data.partition = ["iid", "by-label"]`, `network.latency = ["1 ms", "5 ms"]`])
    test(`on a logarithmic axis who is at the baseline or below stands on the edge, as at most that: ${axis.split(" ")[0]}`, (context) => inPageOf(context, `${quadraticRun}
[sweep]
driver = "simulate"
${axis}
[[sweep.variant]]
name = "reference"
algorithm.kind = "allreduce-sgd"
[[sweep.variant]]
name = "equal"
algorithm.kind = "allreduce-sgd"
[[sweep.variant]]
name = "below"
algorithm.kind = "allreduce-sgd"
run.iterations = 30
[[sweep.variant]]
name = "above"
algorithm.kind = "allreduce-sgd"
run.iterations = 10
[[sweep.claim]]
says = "the longer the better"
figure = "loss"
minus = "reference"
ascending = ["below", 0, "above"]
`, async ({ page }) => {
      const chart = await chartOf(page, "group-0-curves");
      assert.equal(chart.y.type, "logarithmic");
      const edge = await page.evaluate(() => Chart.getChart(document.querySelector("#group-0-curves canvas")).scales.y.min);
      for (const name of ["reference", "equal", "below"]) assert.deepEqual(lineOf(chart, name).data.map(({ y, isBelow }) => [y, isBelow]), [[edge, true], [edge, true]], name);
      for (const { y, isBelow } of lineOf(chart, "above").data) assert.deepEqual([y > edge, isBelow], [true, undefined]);
      await page.locator("#group-0-curves canvas").focus();
      await page.keyboard.press("ArrowRight");
      const { read } = await chartOf(page, "group-0-curves");
      assert.deepEqual(read.slice(1).map((line) => line.includes(": ≤ ")), [false, true, true, true], read.join());
      // The numbers say what it is.
      await unfold(page.locator("#group-0-curves summary"));
      assert.ok((await page.locator("#group-0-curves tbody tr").first().locator("td").allTextContents()).some((text) => text.startsWith("-")));
    }));

  test("the losses open where the first claim is that names a place", (context) => inPageOf(context, `${quadraticRun}
[sweep]
driver = "simulate"
data.partition = ["iid", "by-label"]
network.latency = ["1 ms", "5 ms"]
[[sweep.variant]]
name = "slow"
[[sweep.variant]]
name = "fast"
algorithm.step_size = 0.1
[[sweep.claim]]
says = "it is so everywhere"
figure = "loss"
ascending = ["fast", "slow"]
[[sweep.claim]]
says = "and sorted by label"
at.data.partition = "by-label"
figure = "loss"
ascending = ["fast", "slow"]
[[sweep.claim]]
says = "and in equal parts"
at.data.partition = "iid"
figure = "loss"
ascending = ["fast", "slow"]
`, async ({ page }) => {
    const chosen = (label) => page.locator("#group-0-training").getByLabel(label, { exact: true }).locator("option:checked").textContent();
    assert.equal(await chosen("partition"), "by-label");
    assert.equal(await chosen("latency"), "1 ms");  // which no claim names
  }));

  test("variants that are equally fast are first together: named, and in the color of the first of them", (context) => inPageOf(context, `${quadraticRun.replace("(50)", "(5000)")}
[sweep]
driver = "simulate"
baseline = "exact"
network.latency = ["1 ms", "5 ms"]
network.bandwidth = ["100 kbit/s", "1 Mbit/s", "10 Mbit/s"]
[[sweep.variant]]
name = "exact"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "DCD, 8 bit"
algorithm.kind = "dcd-psgd"
[[sweep.variant]]
name = "DCD, short steps"
algorithm.kind = "dcd-psgd"
algorithm.step_size = 0.01
`, async ({ page, folder }) => {
    const { points } = readJson(folder, "sweep", "sweep.json");
    const timesOf = (variant) => points.filter((point) => point.variant === variant).map(({ seconds }) => seconds);
    assert.deepEqual(timesOf("DCD, 8 bit"), timesOf("DCD, short steps"));
    const both = timesOf("exact").filter((seconds, k) => timesOf("DCD, 8 bit")[k] < seconds).length;
    assert.ok(both > 0);
    const section = page.locator("#group-0-winners");
    assert.match(await section.locator(".summary li").first().textContent(), new RegExp(`DCD, 8 bit and DCD, short steps: equal, and are fastest on ${both} of 6 networks, up to .*× as fast as exact`));
    const cells = section.locator("td.cell", { hasText: "DCD, 8 bit and DCD, short steps: equal" });
    assert.equal(await cells.count(), both);
    assert.match(await cells.first().getAttribute("style"), /--color:var\(--series-1\);--strength:[1-5]\d%/);
    assert.match(await cells.first().textContent(), /× faster/);
  }));

  test("along an axis the page opens on the longest one, and of equally long ones on what the first claim leaves open", (context) => inPageOf(context, `${quadraticRun}
[sweep]
driver = "simulate"
topology.peers = [2, 4]
network.bandwidth = ["1 Mbit/s", "5 Mbit/s", "10 Mbit/s"]
network.latency = ["1 ms", "5 ms", "10 ms"]
[[sweep.variant]]
name = "plain"
[[sweep.claim]]
says = "it takes its time"
at.network.bandwidth = "1 Mbit/s"
figure = "seconds"
ascending = [0, "plain"]
`, async ({ page }) => {
    assert.equal(await page.locator("#group-0-along").getByLabel("Against").locator("option:checked").textContent(), "latency");
  }));

  for (const [figure, count] of [["loss", 0], ["seconds", 1], ["bytes_sent", 0]])
    test(`${count ? "" : "no "}map of who is fastest beside claims about ${figure}`, (context) => inPageOf(context, `${quadraticRun}
[sweep]
driver = "simulate"
network.latency = ["1 ms", "5 ms"]
[[sweep.variant]]
name = "one"
[[sweep.variant]]
name = "other"
algorithm.kind = "d-psgd"
[[sweep.claim]]
says = "all is above zero"
figure = "loss"
ascending = [0, "one"]
[[sweep.claim]]
says = "all is above zero"
figure = "${figure}"
ascending = [0, "one"]
`, async ({ page }) => {
      assert.equal(await page.locator("#group-0-along").count(), 1);
      assert.equal(await page.locator("#group-0-winners").count(), count);
    }));

  test("of a claim about eight places six lines are in sight, and all of them in print", (context) => inPageOf(context, `${quadraticRun}
[sweep]
driver = "simulate"
network.bandwidth = ["1 Mbit/s", "2 Mbit/s", "3 Mbit/s", "4 Mbit/s"]
network.latency = ["1 ms", "5 ms"]
[[sweep.variant]]
name = "one"
[[sweep.claim]]
says = "everywhere it takes its time"
figure = "seconds"
ascending = [0, "one"]
[[sweep.claim]]
says = "some of that at a slow network"
at.network.latency = "5 ms"
figure = "seconds"
ascending = [0, "one"]
`, async ({ page }) => {
    const claims = page.locator("ul.claims > li");
    const inSight = (claim) => claims.nth(claim).locator(".measured").evaluateAll((lines) => lines.filter((line) => line.checkVisibility()).length);
    assert.equal(await claims.nth(0).locator(".measured").count(), 8);
    assert.deepEqual([await inSight(0), await inSight(1)], [6, 4]);
    assert.equal(await claims.nth(0).locator("summary").textContent(), "2 more");
    assert.equal(await claims.nth(1).locator("summary").count(), 0);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await inSight(0), 8);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await inSight(0), 6);
    await claims.nth(0).locator("summary").click();
    assert.equal(await inSight(0), 8);
  }));
});
