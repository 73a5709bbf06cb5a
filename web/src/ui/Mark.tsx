import { createContext, useContext } from "react";

/** The address of the institution's mark, if it has one. */
export const SiteMark = createContext<string | undefined>(undefined);

interface MarkProps {
  /** Height in pixels. */
  size?: number;
}

/**
 * The cairn: four stones in the colors of the four kinds of resources, or the institution's mark. It is decorative, because
 * the name is beside it.
 */
export function Mark({ size = 28 }: MarkProps) {
  const own = useContext(SiteMark);
  if (own) return <img src={own} alt="" height={size} />;
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <path
        fill="var(--blue)"
        d="M4.5 27.2c0-2.7 4.7-4.3 11.7-4.3 6.8 0 11.3 1.5 11.3 4.1 0 2-1.6 2.5-4.4 2.500H8.300c-2.6 0-3.8-.7-3.8-2.300Z"
      />
      <path
        fill="var(--green)"
        d="M8.3 19.400c.3-2.5 3.6-3.9 8-3.7 4.5.2 8 1.6 7.9 4 0 1.7-1.4 2.2-3.8 2.2h-8.600c-2.4 0-3.7-.7-3.5-2.500Z"
      />
      <path
        fill="var(--red)"
        d="M10 12.600c0-2.1 2.4-3.3 5.6-3.3 3.4 0 6 1.3 5.9 3.3-.1 1.5-1.2 2-3 2h-5.700c-1.8 0-2.8-.6-2.8-2Z"
      />
      <path
        fill="var(--purple)"
        d="M13 6.2c.2-1.8 1.7-2.9 3.6-2.8 1.9.1 3.3 1.3 3.2 2.9-.1 1.4-1 1.9-2.4 1.900h-2.100c-1.5 0-2.4-.6-2.3-2Z"
      />
    </svg>
  );
}
