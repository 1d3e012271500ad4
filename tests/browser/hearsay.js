// The program under test, and what it leaves behind.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const program = process.env.HEARSAY_PROGRAM ?? new URL("../../build/hearsay", import.meta.url).pathname;

/// A folder that is gone after the test `context`.
export function temporaryFolder(context) {
  const folder = mkdtempSync(join(tmpdir(), "hearsay-browser-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/// Runs the program in `folder`; `allowed` are the exit codes that are no failure.
export function hearsay(folder, words, allowed = [0]) {
  try {
    return execFileSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (failure) {
    if (!allowed.includes(failure.status)) throw new Error(`hearsay ${words.join(" ")}: ${failure.stderr}`);
    return failure.stdout;
  }
}

export function write(folder, name, text) {
  writeFileSync(join(folder, name), text);
  return name;
}

export const readJson = (...path) => JSON.parse(readFileSync(join(...path), "utf8"));
export const readLines = (...path) => readFileSync(join(...path), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));

export const quadraticRun = `
[run]
iterations = 20
evaluate_every = 1
[model]
kind = "quadratic(50)"
[topology]
peers = 4
[algorithm]
batch = "full"
[network]
compute = "1 ms"
`;
