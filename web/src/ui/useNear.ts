import { type RefObject, useEffect, useState } from "react";

/** Whether a place has come near the window, by the given pixels; it stays so. */
export function useNear(place: RefObject<Element | null>, pixels: number): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || !place.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: `${pixels}px` },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [place, near, pixels]);
  return near;
}
