const gap = 6;
const edge = 8;

/**
 * Places a popover below its anchor, or above if there is no room, inside the window; "beside" places it at the right if
 * there is room, and else as "center".
 */
export function positionPopover(popover: HTMLElement, anchor: HTMLElement, align: "center" | "end" | "beside"): void {
  const from = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const right = from.right + gap;
  if (align === "beside" && right + width <= window.innerWidth - edge) {
    popover.style.top = `${Math.round(from.top + (from.height - height) / 2)}px`;
    popover.style.left = `${Math.round(right)}px`;
    return;
  }
  const below = from.bottom + gap;
  const top = below + height <= window.innerHeight - edge ? below : Math.max(edge, from.top - gap - height);
  const wanted = align !== "end" ? from.left + (from.width - width) / 2 : from.right - width;
  const left = Math.max(edge, Math.min(wanted, window.innerWidth - edge - width));
  popover.style.top = `${Math.round(top)}px`;
  popover.style.left = `${Math.round(left)}px`;
}
