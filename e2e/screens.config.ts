import { defineConfig } from "@playwright/test";
import config from "./sweep.config";

/** Takes screenshots of every page in every state: `make screens`. */
export default defineConfig({ ...config, testDir: ".", testMatch: "screens.ts", reporter: "list" });
