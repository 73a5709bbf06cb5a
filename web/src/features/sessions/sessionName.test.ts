import { expect, it } from "vitest";
import { defaultSessionName, longestName } from "./sessionName";

const day = new Date(2025, 7, 4, 23, 30);

it("is the local date, the project's name and 'Session'", () => {
  expect(defaultSessionName("Spikes", day, "en-US")).toBe("8/4/2025 Spikes Session");
  expect(defaultSessionName("Spikes", day, "de-DE")).toBe("4.8.2025 Spikes Session");
});

it("stays a legal name for the longest project name, counted in characters", () => {
  const name = defaultSessionName("🧠".repeat(200), day, "en-US");
  expect([...name]).toHaveLength(longestName);
  expect(name.endsWith("🧠 Session")).toBe(true);
});
