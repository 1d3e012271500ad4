// The installed Chromium, without a window.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export const chromiumProgram = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export function openBrowser() {
  const asRoot = process.getuid() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: chromiumProgram, args: asRoot });
}

export const screens = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
