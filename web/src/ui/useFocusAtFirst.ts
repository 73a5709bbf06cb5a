import { type RefObject, useEffect, useRef } from "react";

/** The ref of an element that gets the focus when it appears, if wanted: for what takes the place of what had it. */
export function useFocusAtFirst<Of extends HTMLElement>(wanted: boolean): RefObject<Of | null> {
  const element = useRef<Of>(null);
  const atFirst = useRef(wanted);
  useEffect(() => {
    if (atFirst.current) element.current?.focus();
  }, []);
  return element;
}
