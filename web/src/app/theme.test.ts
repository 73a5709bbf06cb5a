import { expect, test } from "vitest";
import { applyTheme, storedMode } from "./theme";

test.each([
  [null, "system"],
  ["", "system"],
  ["purple", "system"],
  ["light", "light"],
  ["dark", "dark"],
  ["system", "system"],
])("%j is stored", (stored, mode) => {
  expect(storedMode(stored)).toBe(mode);
});

test("dark stays off and what was chosen is kept", () => {
  const root = { dataset: {} } as HTMLElement;
  applyTheme(root, { getItem: (key: string) => (key === "theme" ? "dark" : null) } as Storage);
  expect(root.dataset).toEqual({ colorMode: "dark", theme: "light" });
});
