import paths from "./laterIcons.json";

/** The drawing of an icon that no first visit shows. */
export function LaterIcon({ name }: { name: keyof typeof paths }) {
  return <path d={paths[name]} />;
}
