import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

function luminance(token: string): number {
  const hex = new RegExp(`--${token}: #([0-9a-f]{6});`).exec(css)?.[1];
  if (hex === undefined) throw new Error(`no colour --${token}`);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((start) => {
    const part = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const texts: [string, string][] = [
  ...["paper", "paper-tint", "paper-sunk"].flatMap((paper): [string, string][] =>
    ["ink", "ink-soft", "ink-quiet", "accent", "danger"].map((ink) => [ink, paper]),
  ),
  ...["blue", "red", "green", "purple", "grey"].map((tone): [string, string] => [`${tone}-ink`, `${tone}-tint`]),
  ["accent-strong", "accent-tint"],
  ["on-accent", "accent"],
  ["on-accent", "accent-strong"],
  ["on-accent", "danger"],
  ["on-accent", "danger-strong"],
];

test.each(texts)("%s on %s can be read", (ink, paper) => {
  expect(contrast(ink, paper)).toBeGreaterThanOrEqual(4.5);
});

test.each(["line-strong", "blue", "red", "green", "purple", "grey", "accent"])("%s is seen as a shape", (token) => {
  expect(contrast(token, "paper")).toBeGreaterThanOrEqual(3);
});
