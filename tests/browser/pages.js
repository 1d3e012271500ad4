// Reports in the browser: opened, and asked what their charts draw.
import { join } from "node:path";
import { screens } from "./browser.js";

/// Pages on a desktop that a test has left, one a browser. Making one takes three times as long as loading a report.
const left = new WeakMap();

const newPage = async (browser, options) => (await browser.newContext({ viewport: screens.desktop, ...options })).newPage();

async function takePage(browser) {
  if (!left.has(browser)) return newPage(browser, {});
  const page = left.get(browser);
  left.delete(browser);
  return page;
}

/// Empties a page that shows the report at `address`, so that the next test finds it like a new one. Closes a page
/// that has left the report, or has opened another one.
async function leavePage(browser, page, address) {
  if (page.url().split("#")[0] !== address || page.context().pages().length > 1) return page.context().close();
  await page.evaluate(() => { localStorage.clear(); sessionStorage.clear(); });
  await page.mouse.move(0, 0);
  await page.goto("about:blank");
  left.set(browser, page);
}

/// Opens a report for `body`; whatever it asks for but itself, or says on the console, is in `trouble`. `options` are
/// those of a browser's context, and `fragment`.
export async function inReport(browser, folder, file, { fragment = "", ...options }, body) {
  const isDesktop = Object.keys(options).length === 0;
  const page = await (isDesktop ? takePage(browser) : newPage(browser, options));
  const address = new URL(`file://${join(folder, file)}`).href;
  const trouble = [];
  const listeners = {
    console: (message) => trouble.push(`console: ${message.text()}`),
    pageerror: (error) => trouble.push(`error: ${error}`),
    request: (request) => { if (request.url().split("#")[0] !== address && !/^(data|blob):/.test(request.url())) trouble.push(`request: ${request.url()}`); },
    dialog: (dialog) => { trouble.push("dialog"); dialog.dismiss(); },
  };
  for (const [event, listener] of Object.entries(listeners)) page.on(event, listener);
  let passed = false;
  try {
    await page.goto(address + fragment);
    await body({ page, trouble });
    passed = true;
  } finally {
    for (const [event, listener] of Object.entries(listeners)) page.off(event, listener);
    if (passed && isDesktop) await leavePage(browser, page, address);
    else await page.context().close();
  }
}

/// What a chart draws, by the id of its figure.
export const chartOf = (page, figure) => page.evaluate((id) => {
  const chart = Chart.getChart(document.getElementById(id).querySelector("canvas"));
  const { left, right, top, bottom } = chart.chartArea;
  return {
    lines: chart.data.datasets.map(({ label, data, borderColor, showLine }, k) => ({ label, data, borderColor, showLine, pixels: chart.getDatasetMeta(k).data.map(({ x }) => x) })),
    x: { type: chart.options.scales.x.type, title: chart.options.scales.x.title.text, ticks: chart.scales.x.ticks.map(({ label }) => label), min: chart.scales.x.min, max: chart.scales.x.max },
    y: { type: chart.options.scales.y.type, title: chart.options.scales.y.title.text },
    area: { left, right, top, bottom },
    read: chart.tooltip.getActiveElements().length ? [...chart.tooltip.title, ...chart.tooltip.body.flatMap(({ lines }) => lines)] : [],
  };
}, figure);

/// The colors of a PNG picture, "#rrggbb", without `margin` rows above and below; `opaque`: whether its first pixel
/// is not transparent.
export const colorsOfPng = (page, bytes, margin = 0) => page.evaluate(async ([address, left]) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, left, canvas.width, canvas.height - 2 * left);
  const seen = new Set();
  for (let k = 0; k < data.length; k += 4) seen.add(`#${[data[k], data[k + 1], data[k + 2]].map((c) => c.toString(16).padStart(2, "0")).join("")}`);
  return { colors: [...seen], opaque: data[3] === 255 };
}, [`data:image/png;base64,${bytes.toString("base64")}`, margin]);

export const lineOf = (chart, label) => chart.lines.find((line) => line.label === label);

/// Opens what is folded away behind a summary. The page makes it at the event "toggle", which a browser may fire
/// later than the click returns.
export async function unfold(summary) {
  await summary.click();
  await summary.locator("xpath=following-sibling::div/*").first().waitFor({ state: "attached" });
}

/// The link to what the page shows, once the page has written it: `part` must be in it.
export async function linkOf(page, part) {
  await page.waitForFunction((text) => decodeURIComponent(location.hash.replaceAll("+", " ")).includes(text), part);
  return new URL(page.url()).hash;
}
