/** Milliseconds between a live region and its text, so that assistive technology notices the region first. */
export const regionNotice = 100;

type Region = Pick<HTMLElement, "matches" | "hidePopover" | "showPopover">;

/**
 * Shows something in a live region that is a popover. If a dialog covers the region, it is raised first and the text follows
 * later, because text that appears together with its region is often not announced. Returns a function that cancels the text.
 */
export function showInRegion(region: Region, covered: boolean, show: () => void): () => void {
  if (!covered && region.matches(":popover-open")) {
    show();
    return () => {};
  }
  // Not at once: React may be called while the browser shows another popover, and then this one must not be shown.
  window.setTimeout(() => {
    region.hidePopover();
    region.showPopover();
  });
  const timer = window.setTimeout(show, regionNotice);
  return () => window.clearTimeout(timer);
}
