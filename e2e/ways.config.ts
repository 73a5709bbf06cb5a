import { defineConfig } from "@playwright/test";
import config, { desktop, phone } from "./playwright.config";

/** Sessions in a real code-server at both widths: `make test-all`, in its part ways. */
export default defineConfig({
  ...config,
  testDir: "ways",
  testIgnore: [],
  projects: [
    { name: "desktop", grepInvert: /@phone-only/, use: desktop },
    { name: "phone", grep: /@phone/, use: phone },
  ],
});
