import { type RefObject, useEffect, useRef } from "react";

/** Returns the ref of an element that gets the focus when it appears, if wanted, because it replaces the focused one. */
export function useFocusAtFirst<Of extends HTMLElement>(wanted: boolean): RefObject<Of | null> {
  const element = useRef<Of>(null);
  const atFirst = useRef(wanted);
  useEffect(() => {
    if (atFirst.current) element.current?.focus();
  }, []);
  return element;
}
