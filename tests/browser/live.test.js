// The page of `hearsay run --live`, while peers train.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openBrowser, screens } from "./browser.js";
import { hearsay, program, quadraticRun, readJson, temporaryFolder, write } from "./hearsay.js";

/// Starts the program in a folder of its own with these files, {name: text}. Returns it with the address of its page.
async function liveProgram(context, files, words) {
  const folder = temporaryFolder(context);
  for (const [name, text] of Object.entries(files)) write(folder, name, text);
  const run = spawn(program, words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
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

const endlessRun = quadraticRun.replace("iterations = 20", "iterations = 1000000").replace("1 ms", "20 ms");

/// A run that does not end by itself, and the address of its page.
const liveRun = (context, ...more) => liveProgram(context, { "run.toml": endlessRun }, ["run", "run.toml", "--live", "--output", "out", ...more]);

/// A sweep of two short points and one that does not end.
const liveSweep = (context) => liveProgram(context, { "sweep.toml": `${quadraticRun}
[sweep]
driver = "run"
baseline = "first"
[[sweep.variant]]
name = "first"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "second"
algorithm.kind = "allreduce-sgd"
[[sweep.variant]]
name = "endless"
algorithm.kind = "dcd-psgd"
run.iterations = 1000000
` }, ["sweep", "sweep.toml", "--live", "--output", "out"]);

/// The beginning of a run file and of a topology file for `count` peers on this machine, each at a port of its own.
async function addressedRing(count) {
  const servers = await Promise.all(Array.from({ length: 2 * count }, async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => { server.close(); return once(server, "close"); }));
  const peers = Array.from({ length: count }, (_, k) => `[[peer]]\naddress = "tcp://127.0.0.1:${ports[k]}"\n`);
  return { "cluster.toml": `family = "ring"\nobserver = "tcp://127.0.0.1:${ports[count]}"\n${peers.join("")}`,
    "run.toml": endlessRun.replace("peers = 4", 'file = "cluster.toml"') };
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

  test("a run that goes on says how far it is, how long it still takes, and what every peer does", async (context) => {
    const { run, ended, address } = await liveRun(context, "--set", "run.target_loss=1e-9");
    const page = await browser.newPage({ viewport: screens.desktop });
    await page.goto(address);
    const progress = page.locator("#progress");
    await progress.getByText(/^[\d,]+ of 1,000,000 iterations, in [\d.]+ m?s; .* (left|in [\d.]+ (h|min|s)( \d+ (min|s))?)$/).waitFor();
    assert.equal(await progress.getByRole("progressbar").getAttribute("aria-valuemax"), "1000000");
    await page.locator("#group-0-peer-time").waitFor();
    const busy = () => page.evaluate(() => Chart.getChart(document.querySelector("#group-0-peer-time canvas")).data.datasets[0].data);
    const first = await busy();
    assert.equal(first.length, 4);
    await page.waitForFunction((before) => Chart.getChart(document.querySelector("#group-0-peer-time canvas")).data.datasets[0].data.every((seconds, k) => seconds > before[k]), first);
    run.kill("SIGINT");
    await page.getByText("the run has ended").waitFor();
    await ended;
    const iterations = Number(await progress.getByRole("progressbar").getAttribute("aria-valuenow"));
    assert.match(await progress.textContent(), new RegExp(`^${iterations.toLocaleString("en")} of 1,000,000 iterations, in [^;]*$`));
    await page.close();
  });

  test("a run that hearsay launch has started is shown where it was launched", async (context) => {
    const { folder, run, ended, address } = await liveProgram(context, await addressedRing(3), ["launch", "run.toml", "--live", "--output", "out"]);
    const page = await browser.newPage({ viewport: screens.desktop });
    await page.goto(address);
    await page.locator("#group-0-peer-time").waitFor();
    await page.locator("#progress").getByText(/left$/).waitFor();
    assert.match(await page.locator(".tiles").textContent(), /running/);
    assert.equal(await page.locator("#group-0-place img.topology").count(), 1);
    run.kill("SIGINT");
    await page.getByText("the run has ended").waitFor();
    assert.equal((await ended)[0], 130);
    assert.match(await page.locator(".tiles").textContent(), /interrupted/);
    assert.ok((await page.locator(".tiles").textContent()).includes(readJson(folder, "out", "summary.json").iterations.toLocaleString("en")));
    await page.close();
  });

  test("peer 0 of a run over several hosts shows the whole run", async (context) => {
    const { folder, run, ended, address } = await (async () => {
      const files = await addressedRing(2);
      const other = temporaryFolder(context);
      for (const [name, text] of Object.entries(files)) write(other, name, text);
      const peer = spawn(program, ["peer", "run.toml", "--id", "1"], { cwd: other, stdio: "ignore" });
      const gone = once(peer, "exit");
      context.after(async () => { peer.kill("SIGKILL"); await gone; });
      return liveProgram(context, files, ["peer", "run.toml", "--id", "0", "--live", "--output", "out"]);
    })();
    const page = await browser.newPage({ viewport: screens.desktop });
    await page.goto(address);
    await page.waitForFunction(() => Chart.getChart(document.querySelector("#group-0-peer-time canvas"))?.data.labels.length === 2);
    run.kill("SIGINT");
    await page.getByText("the run has ended").waitFor();
    await ended;
    assert.equal(readJson(folder, "out", "summary.json").status, "interrupted");
    await page.close();
  });

  test("the page of a sweep grows with every point, and says which is trained", async (context) => {
    const { folder, run, ended, address } = await liveSweep(context);
    const page = await browser.newPage({ viewport: screens.desktop });
    const trouble = [];
    page.on("pageerror", (error) => trouble.push(String(error)));
    await page.goto(address);
    const progress = page.locator("#progress");
    await progress.getByText(/^2 of 3 points, in .* left$/).waitFor();
    await progress.getByText(/^endless: iteration \d+ of 1000000, loss \d/).waitFor();
    await page.waitForFunction(() => Chart.getChart(document.querySelector("#group-0-loss canvas"))?.data.datasets.length === 2);
    run.kill("SIGINT");
    await page.getByText("the sweep has ended").waitFor();
    assert.equal((await ended)[0], 130);
    await progress.getByText(/^3 of 3 points, in [^;]*$/).waitFor();
    assert.equal(readJson(folder, "out", "sweep.json").points.length, 3);
    assert.equal(await page.evaluate(() => Chart.getChart(document.querySelector("#group-0-loss canvas")).data.datasets.length), 3);
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
    atFirst.version = -1;
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

  test("a run that goes on, and one that was cut off, say who began it, when, where and how", async (context) => {
    const { folder, run, ended, address } = await liveRun(context);
    const says = (text) => {
      assert.match(text, /whenbegun at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
      for (const part of ["programhearsay ", " core", "seed1", "run run.toml --live --output out"]) assert.ok(text.includes(part), `${part} in ${text}`);
    };
    const page = await browser.newPage({ viewport: screens.desktop });
    await page.goto(address);
    says(await page.locator("#group-0-provenance").textContent());
    run.kill("SIGKILL");
    await ended;
    hearsay(folder, ["report", "out", "--output", "cut.html"]);
    await page.goto(`file://${join(folder, "cut.html")}`);
    says(await page.locator("#group-0-provenance").textContent());
    await page.close();
  });

  test("a series that is hidden stays hidden when the page of a sweep gets new points", async (context) => {
    const { run, ended, address } = await liveSweep(context);
    const page = await browser.newPage({ viewport: screens.desktop });
    await page.goto(address);
    const drawn = () => page.evaluate(() => Chart.getChart(document.querySelector("#group-0-loss canvas")).data.datasets.map(({ label }) => label));
    await page.waitForFunction(() => Chart.getChart(document.querySelector("#group-0-loss canvas"))?.data.datasets.length === 2);
    await page.locator("#group-0-training .legend button", { hasText: "first" }).click();
    assert.deepEqual(await drawn(), ["second"]);
    run.kill("SIGINT");  // the third point ends
    await page.getByText("the sweep has ended").waitFor();
    await ended;
    await page.waitForFunction(() => document.querySelectorAll("#group-0-training .legend button").length === 3);
    assert.deepEqual(await drawn(), ["second", "endless"]);
    assert.equal(await page.locator("#group-0-training .legend button", { hasText: "first" }).getAttribute("aria-pressed"), "false");
    await page.close();
  });

  test("what was chosen stays so when news come", async (context) => {
    const { address } = await liveRun(context);
    const page = await browser.newPage({ viewport: screens.desktop });
    await page.goto(address);
    await page.getByRole("radio", { name: "Seconds" }).check();
    await page.locator("#group-0-training").getByLabel("Smoothing").fill("0.5");
    const answered = await page.waitForResponse(`${address}data.json`);
    await answered.finished();
    await page.waitForResponse(`${address}data.json`);
    const chart = await page.evaluate(() => { const { data, options } = Chart.getChart(document.querySelector("#group-0-loss canvas")); return { lines: data.datasets.length, x: options.scales.x.title.text }; });
    assert.deepEqual(chart, { lines: 2, x: "seconds" });  // smoothed, and as it was
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
