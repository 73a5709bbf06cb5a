const modes = ["light", "dark", "system"] as const;

type ColorMode = (typeof modes)[number];

/** The color mode stored by the browser under "theme"; "system" by default. */
export function storedMode(stored: string | null): ColorMode {
  return modes.find((mode) => mode === stored) ?? "system";
}

/** Shows the page in its theme. Dark is off, so every mode looks light; the stored choice is kept for later. */
export function applyTheme(root: HTMLElement, storage: Storage): void {
  root.dataset.colorMode = storedMode(storage.getItem("theme"));
  root.dataset.theme = "light";
}
