import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * Keeps the focus nearby when a card is removed from a list together with the focused button. Call `leaves` with the id
 * of the card that will be removed; then the card in its place gets the focus, or the last one, or `around` if none is left.
 * Cards are articles, and they and `around` need a tabIndex of -1.
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
