import { useState } from "react";

/** The beginning of a long list, and how to see all of it. */
export function useFirst<Item>(items: Item[], limit: number) {
  const [all, setAll] = useState(false);
  // A button in place of one more line would save nothing.
  const long = items.length > limit + 2;
  return { shown: all || !long ? items : items.slice(0, limit), long, all, toggle: () => setAll(!all) };
}
