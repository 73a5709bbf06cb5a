/** The tallest notebook that is shown whole inside the page, in pixels. */
const tallest = 200_000;

const isLength = (value: unknown): value is number => typeof value === "number" && value > 0 && value <= tallest;

/**
 * What a message tells: the height of the notebook on the screen or printed, or how far down the heading is that was chosen
 * in its outline; nothing unless it is possible, and from this window.
 */
export function toldIn(
  { source, data }: Pick<MessageEvent, "source" | "data">,
  from: MessageEventSource | null | undefined,
): { height?: number; printed?: number; top?: number } {
  if (!source || source !== from) return {};
  if (isLength(data)) return { height: data };
  if (isLength(data?.printed)) return { printed: data.printed };
  return isLength(data?.top) ? { top: data.top } : {};
}
