import { useState } from "react";

/** The first items of a long list, and a way to expand it. */
export function useFirst<Item>(items: Item[], limit: number) {
  const [all, setAll] = useState(false);
  // A button instead of one more line wouldn't save space.
  const long = items.length > limit + 2;
  return { shown: all || !long ? items : items.slice(0, limit), long, all, toggle: () => setAll(!all) };
}
