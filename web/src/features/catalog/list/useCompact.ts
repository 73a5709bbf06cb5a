import { useState } from "react";

const key = "catalog.compact";

/** Whether lists of entries are compact, as last chosen in this browser, and a function that chooses. */
export function useCompact(): [compact: boolean, choose: (compact: boolean) => void] {
  const [compact, setCompact] = useState(() => localStorage.getItem(key) !== null);
  return [
    compact,
    (next) => {
      if (next) localStorage.setItem(key, "");
      else localStorage.removeItem(key);
      setCompact(next);
    },
  ];
}
