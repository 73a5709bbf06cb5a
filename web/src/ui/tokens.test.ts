import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const source = new URL("../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, source), "utf8").replace(/\/\*.*?\*\//gs, "");

type Theme = [name: string, colors: Map<string, string>];

/** The colors of each block of tokens.css. A theme inherits those of :root. */
function themes(): Theme[] {
  const blocks = [...read("ui/tokens.css").matchAll(/(\S+) \{(.*?)\n\}/gs)];
  const of = (text = "") => [...text.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]);
  const base = of(blocks[0]?.[2]);
  return blocks.map(([, name = "", text]) => [name, new Map([...base, ...of(text)] as [string, string][])]);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast([name, colors]: Theme, one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other]
    .map((token) => {
      const hex = colors.get(token);
      if (hex === undefined) throw new Error(`no color --${token} in ${name}`);
      return luminance(hex);
    })
    .sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const papers = ["paper", "paper-tint", "paper-sunk"];
const tones = ["blue", "red", "green", "purple", "grey"];

/** Text and background pairs: the text colors on the papers (placeholders are quiet ink), and each ink on its tint. */
const texts: [string, string][] = [
  ...papers.flatMap((paper): [string, string][] =>
    ["ink", "ink-soft", "ink-quiet", "accent", "accent-strong", "danger"].map((ink) => [ink, paper]),
  ),
  ...tones.map((tone): [string, string] => [`${tone}-ink`, `${tone}-tint`]),
  // Notices, with the links in them.
  ...["accent-tint", "red-tint"].flatMap((tint): [string, string][] =>
    ["ink", "ink-soft", "accent", "accent-strong"].map((ink) => [ink, tint]),
  ),
];

/** Meaningful shapes: borders of controls, spines, dots and icons, and the focus ring on every background. */
const shapes: [string, string][] = [
  ...["line-strong", "accent", "danger", ...tones].map((shape): [string, string] => [shape, "paper"]),
  ...tones.map((tone): [string, string] => [tone, `${tone}-tint`]),
  ...[...papers, "accent-tint", "red-tint"].map((paper): [string, string] => ["accent", paper]),
];

/** Pairs of text and background colors set by one rule of a style sheet. Disabled controls are exempt. */
function pairsOfRules(): [string, string][] {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".css"));
  return files.flatMap((file) =>
    [...read(file).matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selector = "", body = ""]): [string, string][] => {
      const ink = /(?:^|\s)color: var\(--([a-z-]+)\)/.exec(body)?.[1];
      const ground = /background(?:-color)?: var\(--([a-z-]+)\)/.exec(body)?.[1];
      if (!ink || !ground || /disabled/.test(selector) || /^(tone|tint)\b/.test(ground)) return [];
      return [[ink, ground]];
    }),
  );
}

for (const theme of themes()) {
  test(`${theme[0]}: each text can be read on its ground`, () => {
    const ruled = pairsOfRules();
    expect(ruled.length).toBeGreaterThan(10);
    // The color of strong lines is for graphics, not for text.
    const least = (ink: string) => (ink === "line-strong" ? 3 : 4.5);
    const faint = [...texts, ...ruled].filter(([ink, ground]) => contrast(theme, ink, ground) < least(ink));
    expect(faint).toEqual([]);
  });

  test(`${theme[0]}: each shape can be seen on its ground`, () => {
    expect(shapes.filter(([shape, ground]) => contrast(theme, shape, ground) < 3)).toEqual([]);
  });
}
