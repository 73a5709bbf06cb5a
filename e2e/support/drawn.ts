import type { Page, Response } from "@playwright/test";

/** Documents show their page before the script runs, which then replaces it: a test begins on what stays. */
export function arriveWhenDrawn(page: Page): void {
  const { goto, reload } = page;
  page.goto = (...given) => drawn(page, goto.apply(page, given), given[1]?.waitUntil);
  page.reload = (...given) => drawn(page, reload.apply(page, given), given[0]?.waitUntil);
}

/** Waits until React has drawn the page, unless the test asks for less. */
async function drawn(page: Page, arrived: Promise<Response | null>, until: string | undefined) {
  const response = await arrived;
  if (until === undefined || until === "load") {
    await page.waitForFunction(() => {
      const first = document.getElementById("root")?.firstElementChild;
      return !first || Object.keys(first).some((key) => key.startsWith("__react"));
    });
  }
  return response;
}
