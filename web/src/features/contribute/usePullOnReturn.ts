import { useEffect, useEffectEvent } from "react";
import { Problem } from "@/api/problem";

/** Pulls again when the window is returned to after a refusal that shows a corrected file: people correct it elsewhere. */
export function usePullOnReturn(failure: unknown, pull: () => void) {
  const corrects = failure instanceof Problem && failure.draft !== undefined;
  const pullAgain = useEffectEvent(pull);
  useEffect(() => {
    if (!corrects) return undefined;
    const returned = () => pullAgain();
    window.addEventListener("focus", returned);
    return () => window.removeEventListener("focus", returned);
  }, [corrects]);
}
