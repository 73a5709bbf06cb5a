/** The tallest notebook that is shown whole inside the page, in pixels. */
const tallest = 200_000;

/** The height that a message tells; undefined unless it is a possible one, from this window. */
export function heightIn(
  message: Pick<MessageEvent, "source" | "data">,
  from: MessageEventSource | null | undefined,
): number | undefined {
  const { source, data } = message;
  return source && source === from && typeof data === "number" && data > 0 && data <= tallest ? data : undefined;
}
