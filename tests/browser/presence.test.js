// The page of runs whose peers were lost, came back or joined.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser, screens } from "./browser.js";
import { hearsay, quadraticRun, readJson, write } from "./hearsay.js";
import { chartOf, inReport, unfold } from "./pages.js";

const steadyRun = quadraticRun.replace("iterations = 20", "iterations = 200").replace('compute = "1 ms"', 'compute = "10 ms"\nlatency = "2 ms"');
const drops = `[failure]\npolicy = "drop"\nlost_after = "200 ms"\n`;
const fault = (at, peer, kind, more = "") => `[[fault]]\nat = "${at}"\npeer = ${peer}\nkind = "${kind}"\n${more}`;

let folder;
let browser;

const simulate = (name, text, allowed) => {
  write(folder, `${name}.toml`, text);
  hearsay(folder, ["simulate", `${name}.toml`, "--output", name, "--quiet"], allowed);
};

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "hearsay-presence-"));
  simulate("calm", steadyRun);
  simulate("faulty", steadyRun + drops + fault("200 ms", 1, "kill", 'for = "300 ms"\n') + fault("300 ms", 2, "freeze", 'for = "600 ms"\n') + fault("1500 ms", 3, "kill"));
  simulate("broken", steadyRun + fault("200 ms", 1, "kill"), [3]);
  for (const name of ["calm", "faulty", "broken"]) hearsay(folder, ["report", name, "--output", `${name}.html`]);
  hearsay(folder, ["report", "calm", "faulty", "--output", "both.html"]);
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const inPage = (file, options, body) => inReport(browser, folder, file, options, body);
const firstTile = (page) => page.locator(".tiles > div").first();

describe("presence", () => {
  test("the first tile of a run that lost peers is red, and says who was lost and who came back", () => inPage("faulty.html", {}, async ({ page, trouble }) => {
    assert.equal(await firstTile(page).textContent(), "lostpeers 1, 2 and 3; 2 came back, 1 joined again");
    const [tile, other] = await page.locator(".tiles > div").evaluateAll((tiles) => tiles.slice(0, 2).map((one) => getComputedStyle(one).borderLeftColor));
    assert.notEqual(tile, other);
    assert.deepEqual(trouble, []);
  }));

  test("a lane says who was there when, to the second that the record has", () => inPage("faulty.html", {}, async ({ page }) => {
    const events = readJson(folder, "faulty", "summary.json").events;
    assert.deepEqual(events.map(({ what, peer }) => `${what} ${peer}`).sort(), ["joined 1", "lost 1", "lost 2", "lost 3", "returned 2"]);
    const section = page.locator("#group-0-presence");
    assert.match(await section.textContent(), /The other peer was there all the time\./);
    const label = await section.locator("canvas").getAttribute("aria-label");
    assert.match(label, /peer 1 was lost; .*peer 2 was lost; .*peer 1 joined, as a new process; .*peer 2 came back; .*peer 3 was lost$/);
    await unfold(section.locator("summary"));
    const rows = await section.locator("tbody tr").all();
    assert.equal(rows.length, events.length);
    assert.match(await rows[0].textContent(), /^20\d ms.*peer 1 was lost/);
  }));

  test("the curves are marked where something happened, on every axis", () => inPage("faulty.html", {}, async ({ page }) => {
    const marksOf = () => page.evaluate(() => Chart.getChart(document.querySelector("#group-0-loss canvas")).data.marks.map(({ x, what }) => [what, x]));
    const events = readJson(folder, "faulty", "summary.json").events;
    await page.getByRole("radio", { name: "Seconds" }).check();
    for (const [k, [what, x]] of (await marksOf()).entries()) {
      assert.equal(what, events[k].what);
      assert.ok(Math.abs(x - events[k].seconds) < 1e-6);
    }
    await page.getByRole("radio", { name: "Iterations" }).check();
    const marks = await marksOf();
    const { x } = await chartOf(page, "group-0-loss");
    assert.equal(marks.length, events.length);
    for (const [, at] of marks) assert.ok(at > 0 && at < x.max);
  }));

  test("a run in which nothing happened has neither lane nor mark", () => inPage("calm.html", {}, async ({ page }) => {
    assert.equal(await page.locator("#group-0-presence").count(), 0);
    assert.equal(await page.locator(".alarm").count(), 0);
    assert.match(await firstTile(page).textContent(), /^status/);
  }));

  test("a run that ended since a peer was lost names it, in red, before its status", () => inPage("broken.html", {}, async ({ page }) => {
    assert.equal(await firstTile(page).textContent(), "lostpeer 1");
    assert.equal(await page.locator(".tiles > div").nth(1).textContent(), "statusa peer was lost");
    assert.equal(await page.locator(".tiles > .alarm").count(), 2);
  }));

  test("beside other runs, a run's losses stand in the table, and the lane is its own", () => inPage("both.html", {}, async ({ page }) => {
    const rows = await page.locator(".overview tbody tr").allTextContents();
    assert.equal(rows.filter((text) => text.includes("peers 1, 2 and 3")).length, 1);
    assert.equal(await page.locator("#group-0-lanes").count(), 1);
  }));

  test("on a phone, the lane is as wide as the screen", () => inPage("faulty.html", { viewport: screens.phone }, async ({ page }) => {
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= 390));
    assert.ok(await page.locator("#group-0-lanes canvas").evaluate((canvas) => canvas.width > 200));
  }));
});
