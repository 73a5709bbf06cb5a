import { type RefObject, useEffect, useState } from "react";

/** Whether an element has ever been within this many pixels of the viewport. */
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
