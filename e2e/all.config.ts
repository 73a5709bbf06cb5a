import { defineConfig } from "@playwright/test";
import config, { desktop, neverOnPhones, phone } from "./playwright.config";

/** Every test at both widths, also those tagged @all: `make test-all`, in its parts browser (desktop) and phone. */
export default defineConfig({
  ...config,
  projects: [
    { name: "desktop", grepInvert: /@phone-only/, use: desktop },
    {
      name: "phone",
      testIgnore: ["sweep/**", "ways/**", "hosts/**", ...neverOnPhones],
      grepInvert: /@desktop/,
      use: phone,
    },
  ],
});
