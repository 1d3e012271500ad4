// The figure of what compressors pay for their error, beside what theory allows.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hearsay, temporaryFolder, write } from "./hearsay.js";
import { openBrowser, screens } from "./browser.js";
import { chartOf, inReport, lineOf } from "./pages.js";

const run = `run.iterations = 20
[model]
kind = "softmax"
[topology]
peers = 4
[data]
source = "synthetic(samples=256, features=100, classes=8)"
`;

describe("bits and error", () => {
  test("each compressor has its point, whose worst error is above the bound; to code for what is shared takes less", async (context) => {
    const folder = temporaryFolder(context);
    write(folder, "sweep.toml", `${run}
[sweep]
driver = "simulate"
network.latency = ["1 ms", "5 ms"]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "8 bit"
algorithm.compressor = "dither(linf, bits=8, bucket=512)"
[[sweep.variant]]
name = "4 bit"
algorithm.compressor = "dither(linf, bits=4, bucket=64)"
`);
    hearsay(folder, ["sweep", "sweep.toml", "--output", "out", "--quiet"]);
    hearsay(folder, ["report", "out", "--output", "out.html"]);
    const browser = await openBrowser();
    context.after(() => browser.close());
    await inReport(browser, folder, "out.html", {}, async ({ page, trouble }) => {
      const chart = await chartOf(page, "group-0-rates-plot");
      const bound = lineOf(chart, "no compressor's worst error").data;
      assert.equal(lineOf(chart, "plain"), undefined);
      for (const name of ["8 bit", "4 bit"]) {
        const [measured, worst] = lineOf(chart, name).data;
        assert.ok(measured.x <= worst.x && measured.y <= worst.y, name);
        // Where the bound has no more bits than the compressor, its error is no less.
        assert.ok(worst.y >= 4 ** -worst.x, name);
      }
      for (const { x, y } of bound) assert.ok(Math.abs(y - 4 ** -x) < 1e-9);
      const together = lineOf(chart, "Gaussian, coded for what peers share").data;
      const bitsAt = (line, error) => line.find(({ y }) => y <= error).x;
      assert.ok(bitsAt(together, 0.01) < bitsAt(bound, 0.01));
      const rows = await page.locator("#group-0-rates .links tbody tr").all();
      assert.equal(rows.length, 2);
      assert.match(await rows[0].textContent(), /8 bit.*×/);
      assert.deepEqual(trouble, []);
    });
    await inReport(browser, folder, "out.html", { viewport: screens.phone }, async ({ page }) => assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= 390)));
  });

  test("runs without a compressor have no such section", async (context) => {
    const folder = temporaryFolder(context);
    write(folder, "run.toml", `${run}[algorithm]\nkind = "d-psgd"\n`);
    hearsay(folder, ["simulate", "run.toml", "--output", "out", "--quiet"]);
    hearsay(folder, ["report", "out", "--output", "out.html"]);
    const browser = await openBrowser();
    context.after(() => browser.close());
    await inReport(browser, folder, "out.html", {}, async ({ page }) => assert.equal(await page.locator("#group-0-rates").count(), 0));
  });
});
