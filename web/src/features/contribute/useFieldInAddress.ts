import { type RefObject, useEffect, useRef } from "react";
import { useLocation } from "@/ui/router";
import { controlFor } from "./controlFor";

/** Returns the ref of a form. It opens at the field that the address names, as in #license. */
export function useFieldInAddress(): RefObject<HTMLDivElement | null> {
  const form = useRef<HTMLDivElement>(null);
  const { hash } = useLocation();
  useEffect(() => {
    const control = controlFor(
      { querySelectorAll: (selector) => form.current?.querySelectorAll<HTMLInputElement>(selector) ?? [] },
      hash.slice(1),
    );
    control?.closest("details")?.toggleAttribute("open", true);
    control?.closest("[data-field]")?.scrollIntoView();
    control?.focus();
  }, [hash]);
  return form;
}
