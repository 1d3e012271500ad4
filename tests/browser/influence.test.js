// The section of a report on which samples and peers made the model, drawn as pictures if they are images.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hearsay, readJson, temporaryFolder, write } from "./hearsay.js";
import { openBrowser, screens } from "./browser.js";
import { inReport } from "./pages.js";

const side = 4;
const samples = 40;

/// Two kinds of pictures, as idx files: bright above, or bright below.
function writePictures(folder) {
  const images = Buffer.alloc(16 + samples * side * side);
  for (const [k, field] of [0x803, samples, side, side].entries()) images.writeUInt32BE(field, 4 * k);
  const labels = Buffer.alloc(8 + samples);
  for (const [k, field] of [0x801, samples].entries()) labels.writeUInt32BE(field, 4 * k);
  for (let sample = 0; sample < samples; ++sample) {
    labels[8 + sample] = sample % 2;
    for (let pixel = 0; pixel < side * side; ++pixel)
      images[16 + sample * side * side + pixel] = (pixel < 8) === (sample % 2 === 0) ? 255 - sample : sample;
  }
  writeFileSync(join(folder, "images"), images);
  writeFileSync(join(folder, "labels"), labels);
}

describe("influence", () => {
  test("the page shows the samples that pulled test samples as pictures, and what each peer's data did", async (context) => {
    const folder = temporaryFolder(context);
    writePictures(folder);
    write(folder, "run.toml", `run.iterations = 20\nrun.evaluate_every = 5\nrun.keep_models = "every 5"\n[model]\nkind = "softmax"\n[topology]\npeers = 4\n[data]\nsource = "idx:images,labels"\n[algorithm]\nbatch = "full"\n`);
    hearsay(folder, ["simulate", "run.toml", "--output", "out", "--quiet"]);
    hearsay(folder, ["influence", "out", "--rows", "3,0", "--top", "5", "--by", "link", "--quiet"]);
    hearsay(folder, ["report", "out", "--output", "out.html"]);
    const told = readJson(folder, "out", "influence.json");
    const browser = await openBrowser();
    context.after(() => browser.close());
    await inReport(browser, folder, "out.html", {}, async ({ page, trouble }) => {
      const section = page.locator("#group-0-influence");
      const [first] = told.tests;
      const list = section.getByRole("list", { name: "What lowered the loss of test sample 3 most" });
      const texts = await list.locator("li").allTextContents();
      assert.deepEqual(texts.map((text) => Number(/sample (\d+)/.exec(text)[1])), first.proponents.map(({ sample }) => sample));
      assert.equal(await section.locator("img").count(), 2 + 2 * 10 + 5);
      // Each is drawn, and with its own pixels.
      assert.ok(await section.locator("img").evaluateAll(async (images) => {
        for (const image of images) { image.loading = "eager"; await image.decode(); }
        return images.every(({ naturalWidth, naturalHeight }) => naturalWidth === 4 && naturalHeight === 4);
      }));
      assert.equal(await list.locator("img").first().getAttribute("src"), told.pictures.training[first.proponents[0].sample]);
      const rowsOf = (name) => section.getByRole("region", { name }).locator("tbody tr th").allTextContents();
      assert.deepEqual(await rowsOf("Influence of each peer's data"), ["0", "1", "2", "3"]);
      assert.deepEqual((await rowsOf("Influence that passed the links")).sort(), ["0 – 1", "0 – 3", "1 – 2", "2 – 3"]);
      assert.deepEqual(trouble, []);
    });
    await inReport(browser, folder, "out.html", { viewport: screens.phone }, async ({ page }) => assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= 390)));
  });

  test("a record of samples that are no bitmaps brings no picture onto the page, and a run without one no section", async (context) => {
    const folder = temporaryFolder(context);
    write(folder, "run.toml", `run.iterations = 20\nrun.keep_models = "every 10"\n[model]\nkind = "softmax"\n[topology]\npeers = 4\n[data]\nsource = "synthetic(samples=64, features=8, classes=2)"\n`);
    hearsay(folder, ["simulate", "run.toml", "--output", "out", "--quiet"]);
    hearsay(folder, ["report", "out", "--output", "without.html"]);
    hearsay(folder, ["influence", "out", "--quiet"]);
    const told = readJson(folder, "out", "influence.json");
    const address = "https://example.org/picture.png";
    told.pictures = { training: Object.fromEntries(told.on_itself.map(({ sample }) => [sample, address])), test: {} };
    delete told.crc32; // of the file as it was written
    write(join(folder, "out"), "influence.json", JSON.stringify(told));
    hearsay(folder, ["report", "out", "--output", "with.html"]);
    const browser = await openBrowser();
    context.after(() => browser.close());
    await inReport(browser, folder, "without.html", {}, async ({ page }) => assert.equal(await page.locator("#group-0-influence").count(), 0));
    await inReport(browser, folder, "with.html", {}, async ({ page, trouble }) => {
      assert.equal(await page.locator("#group-0-influence").count(), 1);
      assert.equal(await page.locator("#group-0-influence img").count(), 0);
      assert.deepEqual(trouble, []);
    });
  });
});
