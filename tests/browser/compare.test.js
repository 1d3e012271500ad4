// What the page of `hearsay report` compares with what, in a real browser.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser, screens } from "./browser.js";
import { hearsay, quadraticRun, readJson, readLines, write } from "./hearsay.js";
import { chartOf, inReport, lineOf, linkOf, unfold } from "./pages.js";

const topologies = ["ring", "complete", "star"];
const partitions = ["iid", "by-label"];
const peers = ["4", "8"];
const learningRun = `
[run]
iterations = 20
evaluate_every = 2
target_loss = 0.6
[data]
source = "synthetic(samples=256, features=10, classes=2)"
[model]
kind = "logistic"
[topology]
peers = 4
[algorithm]
batch = "full"
[network]
compute = "1 ms"
`;

let folder;
let browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "hearsay-compare-"));
  write(folder, "topologies.toml", `${learningRun}
[sweep]
driver = "simulate"
"topology.kind" = ${JSON.stringify(topologies)}
"data.partition" = ${JSON.stringify(partitions)}
"topology.peers" = [${peers}]
`);
  hearsay(folder, ["sweep", "topologies.toml", "--output", "topologies", "--quiet"]);
  hearsay(folder, ["report", "topologies", "--output", "topologies.html"]);
  write(folder, "networks.toml", `${learningRun}
[sweep]
driver = "simulate"
baseline = "plain"
"network.bandwidth" = ["100 kbit/s", "1 Mbit/s", "5 Mbit/s", "10 Mbit/s", "100 Mbit/s", "1 Gbit/s", "10 Gbit/s"]
"network.latency" = ["1 ms", "10 ms", "50 ms"]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "8 bit"
algorithm.kind = "dcd-psgd"
`);
  hearsay(folder, ["sweep", "networks.toml", "--output", "networks", "--quiet"]);
  hearsay(folder, ["report", "networks", "--output", "networks.html"]);
  write(folder, "steps.toml", `${quadraticRun}
[sweep]
driver = "simulate"
"algorithm.step_size" = [${Array.from({ length: 40 }, (_, k) => (0.01 * (k + 1)).toFixed(2))}]
`);
  hearsay(folder, ["sweep", "steps.toml", "--output", "steps", "--quiet"]);
  hearsay(folder, ["report", "steps", "--output", "steps.html"]);
  write(folder, "run.toml", learningRun);
  const run = (name, ...settings) => hearsay(folder, ["simulate", "run.toml", "--output", name, "--quiet", "--set", `run.name=${name}`, ...settings.flatMap((setting) => ["--set", setting])]);
  run("slow", "algorithm.step_size=0.05");
  run("fast", "algorithm.step_size=0.2");
  run("compressed", "algorithm.step_size=0.2", "algorithm.kind=d-psgd");
  run("other", "data.source=synthetic(samples=512, features=20, classes=2)", "data.partition=by-label");
  hearsay(folder, ["report", "slow", "fast", "compressed", "--output", "alike.html"]);
  hearsay(folder, ["report", "slow", "other", "--output", "unlike.html"]);
  write(folder, "alone.toml", quadraticRun);
  hearsay(folder, ["simulate", "alone.toml", "--output", "alone", "--quiet", "--set", "topology.peers=1", "--set", "network.compute=0 s"]);
  hearsay(folder, ["report", "alone", "--output", "alone.html"]);
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const inPage = (file, options, body) => inReport(browser, folder, file, options, body);
const pointsOf = (sweep) => readJson(folder, sweep, "sweep.json").points;
const legendOf = (page) => page.locator("#group-0-training .legend button").allTextContents();
const colorBy = (page, what) => page.getByLabel("Color by").selectOption(what);

describe("compare", () => {
  test("the page opens on seconds if networks are swept, and on iterations if none is", async () => {
    await inPage("networks.html", {}, async ({ page }) => {
      assert.equal((await chartOf(page, "group-0-loss")).x.title, "seconds");
      assert.match(await page.locator("#group-0-along h4").textContent(), /^Time to the target against bandwidth$/);
    });
    await inPage("topologies.html", {}, async ({ page }) => assert.equal((await chartOf(page, "group-0-loss")).x.title, "iteration"));
  });

  test("any axis can be the color: its values are the series of every chart", () => inPage("topologies.html", {}, async ({ page, trouble }) => {
    for (const [label, key, values] of [["topology", "topology.kind", topologies], ["partition", "data.partition", partitions], ["peers", "topology.peers", peers]]) {
      await colorBy(page, label);
      assert.deepEqual((await legendOf(page)).map((text) => text.slice(1)), values);
      const at = Object.fromEntries(await Promise.all((await page.locator("#group-0-training .place .control").all()).map(async (control) =>
        [await control.locator("label").textContent(), await control.locator("select").inputValue()])));
      assert.equal(Object.keys(at).length, 2);
      const loss = await chartOf(page, "group-0-loss");
      for (const value of values) {
        const here = { topology: at.topology, partition: at.partition, peers: at.peers, [label]: value };
        const { folder: place } = pointsOf("topologies").find(({ axes }) => axes["topology.kind"] === here.topology && axes["data.partition"] === here.partition && axes["topology.peers"] === here.peers);
        const last = readLines(folder, "topologies", place, "metrics.jsonl").at(-1);
        assert.ok(Math.abs(lineOf(loss, value).data.at(-1).y / last.loss - 1) < 1e-6, `${key} ${value}`);
      }
    }
    assert.deepEqual(trouble, []);
  }));

  test("which is first is asked of the colors, whatever they are", () => inPage("topologies.html", {}, async ({ page }) => {
    await colorBy(page, "topology");
    const cells = await page.locator("#group-0-winners td.cell").allTextContents();
    assert.equal(cells.length, partitions.length * peers.length);
    const said = await page.locator("#group-0-winners td.cell button").evaluateAll((buttons) => buttons.map(({ ariaLabel }) => ariaLabel));
    for (const text of said) assert.match(text, /ring|complete|star/);
    await colorBy(page, "peers");
    assert.equal(await page.locator("#group-0-winners td.cell").count(), partitions.length * topologies.length);
  }));

  test("runs can be colored by a setting in which they differ: lines of one value have one color", () => inPage("alike.html", {}, async ({ page }) => {
    await colorBy(page, "algorithm.step_size");
    const { lines } = await chartOf(page, "group-0-loss");
    const colorOf = (label) => lines.find((line) => line.label === label).borderColor;
    assert.equal(colorOf("0.2 (fast)"), colorOf("0.2 (compressed)"));
    assert.notEqual(colorOf("0.05"), colorOf("0.2 (fast)"));
  }));

  test("an axis of numbers is drawn along, also as the only one", () => inPage("steps.html", {}, async ({ page }) => {
    const chart = await chartOf(page, "group-0-curves");
    assert.equal(chart.lines[0].data.length, 32);  // of the 40, those that are drawn
    assert.equal(chart.x.title, "step size (log)");
    await page.locator("#group-0-along").getByRole("button", { name: "Draw all" }).click();
    assert.equal((await chartOf(page, "group-0-curves")).lines[0].data.length, 40);
  }));

  test("of many series the first are drawn, and the page says so", () => inPage("steps.html", {}, async ({ page }) => {
    const drawn = async () => (await chartOf(page, "group-0-loss")).lines.length;
    assert.equal(await drawn(), 32);
    assert.match(await page.locator("#group-0-training .legends").textContent(), /32 of 40 are drawn/);
    await page.locator("#group-0-training").getByRole("button", { name: "Draw none" }).click();
    assert.equal(await drawn(), 0);
    await page.locator("#group-0-training .legend button").nth(39).click();
    assert.equal(await drawn(), 1);
  }));

  test("names without an order are dots beside each other, numbers are lines", () => inPage("topologies.html", {}, async ({ page }) => {
    await colorBy(page, "peers");
    const along = page.locator("#group-0-along");
    await along.getByLabel("Against", { exact: true }).selectOption("topology");
    const dots = await chartOf(page, "group-0-curves");
    assert.deepEqual(dots.x.ticks, topologies);
    for (const line of dots.lines) assert.equal(line.showLine, false);
    for (const [k, x] of dots.lines[0].pixels.entries()) assert.ok(dots.lines[1].pixels[k] - x > 8);
    await colorBy(page, "topology");
    await along.getByLabel("Against", { exact: true }).selectOption("peers");
    for (const line of (await chartOf(page, "group-0-curves")).lines) assert.equal(line.showLine, true);
  }));

  test("the filter takes values off every section, and keeps the last one", () => inPage("topologies.html", {}, async ({ page }) => {
    await unfold(page.getByText("Filter", { exact: true }));
    const star = page.locator("#group-0-compare .filter").getByLabel("star");
    await star.uncheck();
    assert.ok(await star.evaluate((box) => box === document.activeElement));
    assert.equal((await legendOf(page)).length, 2);
    assert.match(await page.locator("#group-0-compare").textContent(), /8 of 12 points pass the filter/);
    for (const text of await page.locator("#group-0-winners td.cell").allTextContents()) assert.doesNotMatch(text, /star/);
    const filter = page.locator("#group-0-compare .filter");
    await filter.getByLabel("by-label").uncheck();
    assert.ok(await filter.getByLabel("iid").isDisabled());
    assert.equal(await page.locator("#group-0-winners .heat tbody tr").count() * await page.locator("#group-0-winners thead th").count(), 2);
  }));

  test("the points are a table, in groups if that is chosen", () => inPage("topologies.html", {}, async ({ page }) => {
    await unfold(page.getByText("All points in a table"));
    const rows = page.locator(".overview tbody tr");
    assert.equal(await rows.count(), 12);
    await page.getByLabel("Group by").selectOption("partition");
    assert.equal(await rows.count(), 14);
    const headings = await page.locator(".overview tr.heading").allTextContents();
    assert.equal(headings.length, 2);
    const losses = pointsOf("topologies").filter(({ axes }) => axes["data.partition"] === "by-label").map(({ loss }) => loss);
    assert.ok(headings[1].startsWith("partition by-label: 6 points, loss "), headings[1]);
    assert.ok(headings[1].includes(Math.max(...losses).toPrecision(4).slice(0, 5)), headings[1]);
  }));

  test("what differs between runs is a table, a row per setting and a column per run", () => inPage("alike.html", {}, async ({ page }) => {
    const table = page.locator("#group-0-compare details table");
    assert.deepEqual((await table.locator("thead th").allTextContents()).map((text) => text.replace(/^\S /, "")), ["setting", "slow", "fast", "compressed"]);
    const rows = await Promise.all((await table.locator("tbody tr").all()).map((row) => row.locator("th, td").allTextContents()));
    assert.deepEqual(rows.find(([key]) => key === "algorithm.step_size"), ["algorithm.step_size", "0.05", "0.2", "0.2"]);
    assert.deepEqual(rows.find(([key]) => key === "algorithm.kind"), ["algorithm.kind", "dcd-psgd", "dcd-psgd", "d-psgd"]);
    for (const [key, ...values] of rows) assert.ok(new Set(values).size > 1, key);
  }));

  test("runs on different data are not compared without a word", async () => {
    await inPage("unlike.html", {}, async ({ page }) => {
      const said = await page.locator("#group-0-compare .unlike").textContent();
      assert.match(said, /These runs minimise different losses.*data\.source is synthetic\(samples=256, features=10, classes=2\) and synthetic\(samples=512/);
      assert.match(said, /data\.partition is iid and by-label/);
      assert.match(said, /Their accuracies are of different data: the test data \(32 samples\) and the test data \(64 samples\)/);
    });
    await inPage("alike.html", {}, async ({ page }) => assert.equal(await page.locator("#group-0-compare .unlike").isHidden(), true));
    await inPage("topologies.html", {}, async ({ page }) => {
      assert.equal(await page.locator("#group-0-compare .unlike").isHidden(), true);
      await colorBy(page, "partition");
      assert.match(await page.locator("#group-0-compare .unlike").textContent(), /different parts of the data/);
    });
  });

  test("accuracy is a choice beside loss and time, and the page says of which data each is", () => inPage("topologies.html", {}, async ({ page }) => {
    assert.match(await page.locator("#group-0-training").textContent(), /Loss: of the training data \(256 samples\)\. Accuracy: of the test data \(32 samples\)\./);
    await page.locator("#group-0-along").getByLabel("Show", { exact: true }).selectOption("Accuracy at the end");
    const chart = await chartOf(page, "group-0-curves");
    assert.equal(chart.y.type, "linear");
    const highest = Math.max(...chart.lines.flatMap(({ data }) => data.map(({ y }) => y)));
    const accuracies = pointsOf("topologies").map(({ folder: place }) => 100 * readJson(folder, "topologies", place, "summary.json").accuracy);
    assert.ok(accuracies.some((accuracy) => Math.abs(accuracy - highest) < 1e-4));
  }));

  test("a link keeps the view: color, filter, axes, place, what is hidden, scales and groups", async () => {
    let link;
    let before;
    const shown = async (page) => ({ color: await page.getByLabel("Color by").inputValue(), legend: await legendOf(page), curves: await chartOf(page, "group-0-curves"), loss: await chartOf(page, "group-0-loss"),
      place: await page.locator("#group-0-training .place select").evaluateAll((all) => all.map(({ value }) => value)), rows: await page.locator("#group-0-winners .heat").textContent() });
    await inPage("topologies.html", {}, async ({ page }) => {
      await colorBy(page, "partition");
      await unfold(page.getByText("Filter", { exact: true }));
      await page.locator("#group-0-compare .filter").getByLabel("star").uncheck();
      await page.locator("#group-0-along").getByLabel("Show", { exact: true }).selectOption("Loss at the end");
      await page.locator("#group-0-along").getByLabel("Against", { exact: true }).selectOption("peers");
      await page.getByRole("radio", { name: "Seconds" }).check();
      await page.locator("#group-0-loss").getByLabel("Show").selectOption("above the lowest");
      await page.locator("#group-0-training").getByLabel("topology").selectOption("complete");
      await page.locator("#group-0-training .legend button").nth(1).click();
      link = await linkOf(page, "0.draw.");
      before = await shown(page);
    });
    assert.ok(before.loss.lines.length === 2);  // and the target
    await inPage("topologies.html", { fragment: link }, async ({ page, trouble }) => {
      assert.deepEqual(await shown(page), before);
      assert.deepEqual(trouble, []);
    });
  });

  test("a link that names what is not there shows the page as it usually is", () => inPage("topologies.html", { fragment: "#0.color=nothing&0.along=x&0.measure=y&0.at.topology.peers=5&group-0-loss.zoom=~~&0.show.topology.kind.only=q" }, async ({ page, trouble }) => {
    assert.deepEqual((await legendOf(page)).map((text) => text.slice(1)), topologies);
    assert.deepEqual(trouble, []);
  }));

  test("the winners' map is one Tab stop, and the arrow keys go from cell to cell", () => inPage("networks.html", {}, async ({ page }) => {
    const map = page.locator("#group-0-winners .heat");
    assert.equal(await map.locator("button").count(), 21);
    assert.equal(await map.locator('button[tabindex="0"]').count(), 1);
    await map.locator('button[tabindex="0"]').focus();
    const place = () => page.evaluate(() => { const cell = document.activeElement.closest("td.cell"); return cell && [cell.parentElement.rowIndex, cell.cellIndex]; });
    assert.deepEqual(await place(), [2, 4]);
    for (const [key, there] of [["ArrowRight", [2, 5]], ["ArrowDown", [3, 5]], ["ArrowDown", [3, 5]], ["Home", [3, 1]], ["End", [3, 7]], ["ArrowUp", [2, 7]]]) {
      await page.keyboard.press(key);
      assert.deepEqual(await place(), there, key);
    }
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#group-0-training").getByLabel("bandwidth").inputValue(), "10 Gbit/s");
    assert.deepEqual(await place(), [2, 7]);
    await page.keyboard.press("Tab");
    assert.equal(await place(), null);
    await page.keyboard.press("Shift+Tab");
    assert.deepEqual(await place(), [2, 7]);
  }));

  test("the winners' map is whole on a phone", () => inPage("networks.html", { viewport: screens.phone, isMobile: true, hasTouch: true }, async ({ page }) => {
    const cells = await page.locator("#group-0-winners .heat :is(td, th)").evaluateAll((all) => all.map((cell) => {
      const { left, right } = cell.getBoundingClientRect();
      return { left, right, text: cell.innerText, cut: [...cell.querySelectorAll("span"), cell].some((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1) };
    }));
    assert.equal(cells.length, 8 * 4);
    for (const { left, right, text, cut } of cells) assert.ok(left >= 0 && right <= 390 && !cut, `${text}: ${left} to ${right}${cut ? ", cut" : ""}`);
  }));

  test("what took no time and sent nothing is not said, nor a column in which nothing is known", async () => {
    await inPage("alone.html", {}, async ({ page }) => {
      const tiles = await page.locator(".tiles").innerText();
      assert.doesNotMatch(tiles, /\b0 (s|MB|%)|time|sent/);
      // Of one peer there is no distance between peers, no traffic, and no other series to tell it from.
      for (const id of ["group-0-consensus", "group-0-peer-bytes"]) assert.ok(await page.locator(`#${id}`).isHidden(), id);
      assert.ok(await page.locator("#group-0-training .legend").isHidden());
      assert.ok(await page.locator("#group-0-loss").isVisible());
    });
    // The times of simulated runs are called virtual.
    await inPage("alike.html", {}, async ({ page }) => {
      const heads = await page.locator(".overview thead th").allTextContents();
      assert.ok(heads.includes("time (virtual)") && !heads.includes("time"), heads.join());
    });
    await inPage("steps.html", {}, async ({ page }) => {
      await unfold(page.getByText("All points in a table"));
      const heads = await page.locator(".overview thead th").allTextContents();
      assert.ok(heads.includes("step size") && heads.includes("loss"));
      assert.ok(!heads.includes("accuracy") && !heads.includes("time to target"), heads.join());
    });
  });
});
