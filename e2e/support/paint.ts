import type { Page } from "@playwright/test";

/** Records what is visible only for a moment: skeletons, by their label, and layout shifts. */
export async function watchFirstPaint(
  page: Page,
  skeleton: string,
): Promise<{ skeletons: () => Promise<number>; moved: () => Promise<number> }> {
  await page.addInitScript((text) => {
    const seen = { skeletons: 0, moved: 0 };
    Object.assign(window, { seen });
    new MutationObserver(() => {
      if (document.body?.textContent?.includes(text)) seen.skeletons += 1;
    }).observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.moved += (entry as unknown as { value: number }).value;
    }).observe({ type: "layout-shift", buffered: true });
  }, skeleton);
  const read = (name: "skeletons" | "moved") =>
    page.evaluate((key) => (window as unknown as { seen: Record<string, number> }).seen[key] ?? -1, name);
  return { skeletons: () => read("skeletons"), moved: () => read("moved") };
}
