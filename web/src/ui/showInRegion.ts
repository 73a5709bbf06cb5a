/** How long a live region is there before its text, in milliseconds: assistive technology has to take notice of it. */
export const regionNotice = 100;

type Region = Pick<HTMLElement, "matches" | "hidePopover" | "showPopover">;

/**
 * Shows something in a live region that is a popover. Where a dialog lies above it, the region is raised first, and what
 * is to be read out comes later: text that appears together with its region is often not read. Returns how to stop.
 */
export function showInRegion(region: Region, covered: boolean, show: () => void): () => void {
  if (!covered && region.matches(":popover-open")) {
    show();
    return () => {};
  }
  region.hidePopover();
  region.showPopover();
  const timer = window.setTimeout(show, regionNotice);
  return () => window.clearTimeout(timer);
}
