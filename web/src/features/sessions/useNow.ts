import { useEffect, useState } from "react";

const tick = 20_000;

/** The time in milliseconds, precise enough for texts in minutes. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), tick);
    return () => window.clearInterval(timer);
  }, []);
  return now;
}
