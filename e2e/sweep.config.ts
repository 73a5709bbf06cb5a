import { defineConfig } from "@playwright/test";
import config, { desktop, phone } from "./playwright.config";

/** Every state of every scene at both widths: `make test-all`, in its part states. */
export default defineConfig({
  ...config,
  testDir: "sweep",
  testIgnore: [],
  fullyParallel: true,
  projects: [
    { name: "desktop", use: desktop },
    { name: "phone", use: phone },
  ],
});
