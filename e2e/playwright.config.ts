import { existsSync } from "node:fs";
import { defineConfig, devices } from "@playwright/test";

const root = process.getuid?.() === 0;

/** The first one installed: the headless shell does the same as the full browser in less time. */
const browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export const desktop = { ...devices["Desktop Chrome"], viewport: { width: 1280, height: 800 } };
export const phone = {
  ...devices["Pixel 7"],
  viewport: { width: 390, height: 844 },
  screen: { width: 390, height: 844 },
};

/** Signing in looks the same at every width, and the hub's spec sets its widths itself. */
export const neverOnPhones = ["identity/**", "sessions/hub.spec.ts"];

/*
 * What `make test` runs: every test at desktop width, and those tagged @phone also on a phone, where it shows different
 * elements. `make test-all` adds tests tagged @all, both widths for everything and the sweep over all states: see
 * all.config.ts. In both, @desktop and @phone-only restrict a test to one width.
 */
export default defineConfig({
  testDir: ".",
  testIgnore: ["sweep/**", "ways/**", "hosts/**"],
  outputDir: "results/artifacts",
  // A journey runs a server, a browser and a Jupyter, but mostly waits for one of them.
  workers: 2,
  forbidOnly: process.env.CI === "true",
  // Generous, because a busy machine is slow and no test asserts time: only what never comes waits this long.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  reporter: [["list"], ["json", { outputFile: "results/report.json" }]],
  use: {
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    trace: "off", // scripts/test.mjs runs what failed once more with a trace
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CAIRN_CHROMIUM ?? browsers.find(existsSync) ?? "/usr/bin/chromium",
      // Chromium's own sandbox does not work for root.
      chromiumSandbox: !root,
      args: ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
    },
  },
  projects: [
    { name: "desktop", grepInvert: /@all|@phone-only/, use: desktop },
    {
      name: "phone",
      testIgnore: ["sweep/**", "ways/**", "hosts/**", ...neverOnPhones],
      grep: /@phone/,
      grepInvert: /@all/,
      use: phone,
    },
  ],
});
