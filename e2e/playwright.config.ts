import { defineConfig, devices } from "@playwright/test";

const root = process.getuid?.() === 0;

const measured = "budget/paint/**";
const desktop = { ...devices["Desktop Chrome"], viewport: { width: 1280, height: 800 } };

// Two workers: a journey runs a server, a browser and a Jupyter, but mostly waits for one of them.
export default defineConfig({
  testDir: ".",
  outputDir: "results/artifacts",
  workers: 2,
  // Where nobody can look and start it again, a failed test gets a second try; scripts/test.mjs names it, and bears few.
  retries: process.env.CI === "true" ? 1 : 0,
  forbidOnly: process.env.CI === "true",
  timeout: 90_000,
  expect: { timeout: 10_000 },
  reporter: [["list"], ["json", { outputFile: "results/report.json" }]],
  use: {
    actionTimeout: 10_000,
    navigationTimeout: 20_000,
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CAIRN_CHROMIUM ?? "/usr/bin/chromium",
      // Chromium's own sandbox does not work for root.
      chromiumSandbox: !root,
      args: ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
    },
  },
  projects: [
    {
      name: "phone",
      // Signing in looks the same at every width; the journeys look at it. The hub's file sets its widths by itself.
      testIgnore: ["identity/**", "sessions/hub.spec.ts", measured],
      grepInvert: /@desktop/, // what is the same at every width, or of a wide window alone
      use: { ...devices["Pixel 7"], viewport: { width: 390, height: 844 }, screen: { width: 390, height: 844 } },
    },
    { name: "desktop", testIgnore: measured, grepInvert: /@phone/, use: desktop },
    // Alone, after all others: it measures time.
    { name: "speed", testDir: "budget/paint", dependencies: ["phone", "desktop"], workers: 1, use: desktop },
  ],
});
