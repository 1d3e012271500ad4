// The page of `hearsay run --live`, while peers train.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { openBrowser, screens } from "./browser.js";
import { program, quadraticRun, readJson, temporaryFolder, write } from "./hearsay.js";

/// A run that does not end by itself, and the address of its page.
async function liveRun(context) {
  const folder = temporaryFolder(context);
  write(folder, "run.toml", quadraticRun.replace("iterations = 20", "iterations = 1000000").replace("1 ms", "20 ms"));
  const run = spawn(program, ["run", "run.toml", "--live", "--output", "out"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(run, "exit");
  context.after(async () => { run.kill("SIGKILL"); await ended; });
  let said = "";
  for await (const words of run.stderr.iterator({ destroyOnReturn: false })) {
    said += words;
    const address = said.match(/http:\/\/127\.0\.0\.1:\d+\//)?.[0];
    if (address) {
      run.stderr.resume();
      return { folder, run, ended, address };
    }
  }
  throw new Error(`no address in: ${said}`);
}

function answerTo(address, options) {
  return new Promise((resolve, reject) => {
    const asked = request(address, options, (answer) => {
      let text = "";
      answer.on("data", (piece) => { text += piece; });
      answer.on("end", () => resolve({ status: answer.statusCode, text }));
    });
    asked.on("error", reject);
    asked.end();
  });
}

describe("live", () => {
  let browser;
  before(async () => { browser = await openBrowser(); });
  after(() => browser?.close());

  test("the page follows the run, says when it has ended, and keeps its charts", async (context) => {
    const { folder, run, ended, address } = await liveRun(context);
    const page = await browser.newPage({ viewport: screens.desktop });
    const trouble = [];
    page.on("console", (message) => trouble.push(message.text()));
    page.on("pageerror", (error) => trouble.push(String(error)));
    page.on("request", (asked) => { if (![address, `${address}data.json`].includes(asked.url()) && !asked.url().startsWith("data:")) trouble.push(asked.url()); });
    await page.goto(address);
    assert.equal(await page.locator("#live").textContent(), "live");
    const last = () => page.evaluate(() => Chart.getChart(document.querySelector("#group-0-loss canvas")).data.datasets[0].data.at(-1).x);
    const first = await last();
    await page.waitForFunction((before) => Chart.getChart(document.querySelector("#group-0-loss canvas")).data.datasets[0].data.at(-1).x > before, first);
    assert.match(await page.locator(".tiles").textContent(), /running/);
    assert.ok(await page.locator("#group-0-peers").isHidden());

    run.kill("SIGINT");
    await page.getByText("the run has ended").waitFor();
    const [code] = await ended;
    assert.equal(code, 130);
    const summary = readJson(folder, "out", "summary.json");
    assert.match(await page.locator(".tiles").textContent(), /interrupted/);
    assert.ok((await page.locator(".tiles").textContent()).includes(summary.iterations.toLocaleString("en")));
    assert.ok(await last() > first);
    assert.ok(await page.locator("#group-0-peers").isVisible());
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("a page that is opened before the first iteration offers every axis as soon as there is one", async (context) => {
    const { address } = await liveRun(context);
    const page = await browser.newPage({ viewport: screens.desktop });
    const answer = JSON.parse((await answerTo(`${address}data.json`, {})).text);
    const atFirst = structuredClone(answer);
    for (const column of Object.keys(atFirst.learned[0])) atFirst.learned[0][column] = atFirst.learned[0][column]?.slice(0, 1) ?? null;
    atFirst.groups[0].points[0].seconds = [0];
    let beforeTheFirst = true;
    await page.route(`${address}data.json`, (route) => (beforeTheFirst ? route.fulfill({ json: atFirst }) : route.continue()));
    await page.goto(address);
    await page.waitForFunction(() => document.querySelectorAll("#group-0-training .segments input").length === 1);
    beforeTheFirst = false;
    await page.getByRole("radio", { name: "Seconds" }).waitFor();
    await page.close();
  });

  test("a page that takes long to draw sees the end of the run, too", async (context) => {
    const { run, ended, address } = await liveRun(context);
    assert.equal(JSON.parse((await answerTo(`${address}data.json`, {})).text).ended, false);
    run.kill("SIGINT");
    await new Promise((resume) => setTimeout(resume, 4000));  // it draws
    const last = JSON.parse((await answerTo(`${address}data.json`, {})).text);
    assert.equal(last.ended, true);
    assert.equal(last.groups[0].points[0].status, "interrupted");
    const [code] = await ended;
    assert.equal(code, 130);
  });

  test("a run that goes on has the spectral gap of its topology", async (context) => {
    const { address } = await liveRun(context);
    const page = await browser.newPage({ viewport: screens.desktop });
    await page.goto(address);
    assert.match(await page.locator("#group-0-place .facts").textContent(), /spectral gap0\.6667/);
    assert.equal(await page.getByText("It has no spectral gap of its own").count(), 0);
    await page.close();
  });

  test("what was hidden and chosen stays so when news come", async (context) => {
    const { address } = await liveRun(context);
    const page = await browser.newPage({ viewport: screens.desktop });
    await page.goto(address);
    await page.getByRole("radio", { name: "Seconds" }).check();
    await page.locator("#group-0-training .legend button").click();
    const answered = await page.waitForResponse(`${address}data.json`);
    await answered.finished();
    await page.waitForResponse(`${address}data.json`);
    const chart = await page.evaluate(() => { const { data, options } = Chart.getChart(document.querySelector("#group-0-loss canvas")); return { lines: data.datasets.length, x: options.scales.x.title.text }; });
    assert.deepEqual(chart, { lines: 0, x: "seconds" });
    await page.close();
  });

  test("a run that is killed leaves a page that says so", async (context) => {
    const { run, ended, address } = await liveRun(context);
    const page = await browser.newPage({ viewport: screens.desktop });
    await page.goto(address);
    run.kill("SIGKILL");
    await ended;
    await page.getByText("does not answer any more").waitFor();
    assert.ok(await page.evaluate(() => Chart.getChart(document.querySelector("#group-0-loss canvas")).data.datasets[0].data.length > 0));
    await page.close();
  });

  test("only two files are served, by GET, to those who ask for this machine by its name", async (context) => {
    const { address } = await liveRun(context);
    const { port } = new URL(address);
    assert.equal((await answerTo(address, {})).status, 200);
    assert.equal((await answerTo(`${address}data.json`, { headers: { host: `localhost:${port}` } })).status, 200);
    assert.equal((await answerTo(`${address}data.json`, { headers: { host: `rebound.example:${port}` } })).status, 421);
    assert.equal((await answerTo(`${address}data.json`, { headers: { host: "127.0.0.1" } })).status, 421);
    assert.equal((await answerTo(`${address}run.toml`, {})).status, 404);
    assert.equal((await answerTo(`${address}../../etc/passwd`, {})).status, 404);
    assert.equal((await answerTo(address, { method: "POST" })).status, 405);
  });

  test("who asks for the page and does not read it keeps nobody waiting", async (context) => {
    const { run, ended, address } = await liveRun(context);
    const { port } = new URL(address);
    const idle = Array.from({ length: 20 }, () => connect({ port, host: "127.0.0.1" }));
    for (const [k, socket] of idle.entries()) {
      await once(socket, "connect");
      socket.on("error", () => {});
      socket.pause();
      if (k % 2) socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    }
    assert.equal((await answerTo(address, {})).status, 200);
    run.kill("SIGINT");
    const [code] = await ended;
    assert.equal(code, 130);
    for (const socket of idle) socket.destroy();
  });
});
