import { useEffect, useState } from "react";

/** The time in milliseconds, each second while something counts down. */
export function useSeconds(counts: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!counts) return;
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, [counts]);
  return now;
}
