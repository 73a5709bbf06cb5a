import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * Keeps the focus near when a card of a list goes away with the button that had it. `leaves` is told which one will go;
 * once it is gone, the card in its place has the focus, or the last one, or what is `around` the list when none is left.
 * Cards are articles and, like what is around them, have a tabIndex of -1.
 */
export function useFocusAfterRemoval(ids: string[]): {
  around: RefObject<HTMLDivElement | null>;
  leaves: (id: string | undefined) => void;
} {
  const around = useRef<HTMLDivElement>(null);
  const leaving = useRef<{ id: string | undefined; place: number }>(undefined);
  useLayoutEffect(() => {
    if (!leaving.current || (leaving.current.id !== undefined && ids.includes(leaving.current.id))) return;
    const cards = around.current?.querySelectorAll("article") ?? [];
    const next = cards[Math.min(leaving.current.place, cards.length - 1)];
    leaving.current = undefined;
    (next ?? around.current)?.focus();
  }, [ids]);
  return {
    around,
    leaves: (id) => {
      leaving.current = { id, place: id === undefined ? 0 : ids.indexOf(id) };
    },
  };
}
