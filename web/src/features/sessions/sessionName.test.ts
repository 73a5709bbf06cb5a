import { expect, it } from "vitest";
import { defaultSessionName, longestName } from "./sessionName";

const day = new Date(2025, 7, 4, 23, 30);

it("is the local date, the project's name and 'Session'", () => {
  expect(defaultSessionName("Spikes", day, [], "en-US")).toBe("8/4/2025 Spikes Session");
  expect(defaultSessionName("Spikes", day, [], "de-DE")).toBe("4.8.2025 Spikes Session");
});

it("is numbered while others have the same name", () => {
  const taken = ["8/4/2025 Spikes Session", "8/4/2025 Spikes Session 2", "8/4/2025 Argon Session"];
  expect(defaultSessionName("Spikes", day, taken, "en-US")).toBe("8/4/2025 Spikes Session 3");
  const longest = defaultSessionName("🧠".repeat(200), day, [], "en-US");
  expect([...defaultSessionName("🧠".repeat(200), day, [longest], "en-US")]).toHaveLength(longestName);
});

it("stays a legal name for the longest project name, counted in characters", () => {
  const name = defaultSessionName("🧠".repeat(200), day, [], "en-US");
  expect([...name]).toHaveLength(longestName);
  expect(name.endsWith("🧠 Session")).toBe(true);
});
