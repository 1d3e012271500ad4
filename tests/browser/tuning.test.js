// The page of a sweep whose step sizes were tuned.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hearsay, quadraticRun, readJson, temporaryFolder, write } from "./hearsay.js";
import { openBrowser, screens } from "./browser.js";
import { inReport } from "./pages.js";

describe("tuning", () => {
  test("the page says which values were tuned, on which seeds, what was tried, and what was chosen", async (context) => {
    const folder = temporaryFolder(context);
    write(folder, "sweep.toml", `${quadraticRun}
[sweep]
driver = "simulate"
repeat = 3
tune = ["algorithm.step_size"]
algorithm.step_size = [0.001, 0.01, 0.1]
network.latency = ["1 ms"]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "8 bit"
algorithm.kind = "dcd-psgd"
`);
    hearsay(folder, ["sweep", "sweep.toml", "--output", "out", "--quiet"]);
    hearsay(folder, ["report", "out", "--output", "out.html"]);
    const browser = await openBrowser();
    context.after(() => browser.close());
    const { cells } = readJson(folder, "out", "tuning", "sweep.json");
    const chosen = readJson(folder, "out", "sweep.json").cells.map(({ tuned }) => tuned["algorithm.step_size"]);
    await inReport(browser, folder, "out.html", {}, async ({ page, trouble }) => {
      const section = page.locator("#group-0-tuning");
      const said = await section.textContent();
      assert.match(said, /algorithm\.step_size was tuned: every variant got, at every place, the best of 0\.001, 0\.01 and 0\.1\./);
      assert.match(said, /Tried with seeds 1,000,001 to 1,000,003, which no result has\./);
      const rows = await section.locator("tbody tr").all();
      assert.equal(rows.length, 2);
      for (const [k, variant] of ["plain", "8 bit"].entries()) {
        const texts = await rows[k].locator("th, td").allTextContents();
        const losses = cells.filter((cell) => cell.variant === variant).map(({ figures }) => figures.loss.mean);
        assert.equal(texts[0], variant);
        assert.equal(texts[1], chosen[k] + (chosen[k] === "0.01" ? "" : " (edge)"));
        for (const [column, loss] of losses.entries()) assert.ok(texts[2 + column].includes(loss.toLocaleString("en", { maximumSignificantDigits: 5 })), texts.join());
        assert.equal(texts.findIndex((text) => text.startsWith("✓")), 2 + losses.indexOf(Math.min(...losses)));
      }
      assert.equal(await section.locator(".unlike li").count(), chosen.filter((value) => value !== "0.01").length);
      assert.deepEqual(trouble, []);
    });
    await inReport(browser, folder, "out.html", { viewport: screens.phone }, async ({ page }) => assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= 390)));
  });

  test("a sweep without tuned values has no such section", async (context) => {
    const folder = temporaryFolder(context);
    write(folder, "run.toml", quadraticRun);
    hearsay(folder, ["simulate", "run.toml", "--output", "out", "--quiet"]);
    hearsay(folder, ["report", "out", "--output", "out.html"]);
    const browser = await openBrowser();
    context.after(() => browser.close());
    await inReport(browser, folder, "out.html", {}, async ({ page }) => assert.equal(await page.locator("#group-0-tuning").count(), 0));
  });
});
