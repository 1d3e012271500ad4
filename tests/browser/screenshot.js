// Pictures of a report, or of one of its figures:
//
//     node tests/browser/screenshot.js REPORT.html PICTURE.png [--figure group-0-winners] [--dark] [--phone]
//
// A figure is the id of a section or a figure in the page: "group-0-winners", "group-0-along",
// "group-0-curves", "group-0-loss", ... Without one the whole page is taken.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { openBrowser, screens } from "./browser.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { figure: { type: "string" }, dark: { type: "boolean" }, phone: { type: "boolean" } },
});
if (positionals.length !== 2) {
  console.error("usage: node screenshot.js REPORT.html PICTURE.png [--figure ID] [--dark] [--phone]");
  process.exit(2);
}
const [report, picture] = positionals;
const browser = await openBrowser();
const page = await browser.newPage({
  viewport: values.phone ? screens.phone : screens.desktop,
  colorScheme: values.dark ? "dark" : "light",
  deviceScaleFactor: values.figure ? 2 : 1,
});
await page.goto(`file://${resolve(report)}`);
const what = values.figure ? page.locator(`[id="${values.figure}"]`) : page;
await what.screenshot({ path: picture, ...(values.figure ? {} : { fullPage: true }) });
await browser.close();
