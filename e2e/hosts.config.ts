import { defineConfig } from "@playwright/test";
import config, { desktop } from "./playwright.config";

/** What needs a real Gitea: `make test-all`, in its part hosts. */
export default defineConfig({
  ...config,
  testDir: "hosts",
  testIgnore: [],
  workers: 1,
  projects: [{ name: "desktop", use: desktop }],
});
