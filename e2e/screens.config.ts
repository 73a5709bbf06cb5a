import { defineConfig } from "@playwright/test";
import config from "./playwright.config";

/** Takes the pictures of docs/screens: make screens. */
export default defineConfig(config, { testMatch: "screens.ts", reporter: "list" });
