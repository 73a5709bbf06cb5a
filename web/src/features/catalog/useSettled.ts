import { useEffect, useState } from "react";

/** The value once it has stayed the same for the delay. Values count as the same when their keys are equal. */
export function useSettled<Value>(value: Value, key: string, delay: number): Value {
  const [settled, setSettled] = useState({ value, key });
  useEffect(() => {
    if (settled.key === key) return;
    const timer = window.setTimeout(() => setSettled({ value, key }), delay);
    return () => window.clearTimeout(timer);
  }, [settled.key, key, value, delay]);
  return settled.value;
}
