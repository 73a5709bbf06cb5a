import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const source = new URL("../", import.meta.url);
const tokens = "ui/tokens.css";
const named = (end: string) =>
  readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(end));
const files = named(".css");
/** Style sheets of pages rendered by the server. Those of frames are separate, without the tokens. */
const written = ["foundation/httpapi/docs.css", "people/idp/assets/style.css", "sessions/origin/pages/pages.css"].map(
  (file) => `../../internal/${file}`,
);
const sheets = [...files, ...written];

interface Declaration {
  file: string;
  property: string;
  value: string;
}

/** The declarations of a style sheet, without comments and rules for forced colors. */
function declarations(file: string): Declaration[] {
  const text = readFileSync(new URL(file, source), "utf8")
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/@media \(forced-colors: active\) \{.*?\n\}/gs, "");
  return [...text.matchAll(/(?<=^|[{;])\s*([a-z-]+):\s([^;{}]*);/gm)].map(([, property = "", value = ""]) => ({
    file,
    property,
    value: value.replace(/\s+/g, " "),
  }));
}

const all = sheets.filter((file) => file !== tokens).flatMap(declarations);

/** Returns the rest of a value without tokens and keywords. */
const rest = (value: string, ...free: RegExp[]) =>
  free.reduce(
    (text, each) => text.replaceAll(each, ""),
    value.replaceAll(/var\(--[a-z0-9-]+(?:, [^()]*|, var\([^()]*\))?\)/g, ""),
  );

const rules: [name: string, properties: RegExp, fault: (value: string) => boolean][] = [
  [
    "colors are tokens",
    /./,
    (value) => /#[0-9a-f]{3,8}\b|\b(rgb|rgba|hsl|hwb|lab|lch|oklch|oklab|color)\(|\b(black|white)\b/i.test(value),
  ],
  ["texts have a size of the scale", /^font(-size)?$/, (value) => /\d(px|r?em|%|v[wh])/.test(rest(value))],
  [
    "corners are tokens",
    /^border(-[a-z]+)*-radius$/,
    (value) => /[1-9]/.test(rest(value, /\b50%/g, /\bcalc\( - 1px\)/g)),
  ],
  [
    "one shadow; a rule inside a box is none",
    /^box-shadow$/,
    (value) => !/^(none|inset .*|var\(--shadow\))$/.test(value),
  ],
  ["times are tokens", /^(transition|animation)(-duration|-delay)?$/, (value) => /\d(ms|s)\b/.test(rest(value))],
  [
    "only opacity and transform move",
    /^transition(-property)?$/,
    (value) => value.split(",").some((each) => !/^\s*(none|opacity|transform)\b/.test(each)),
  ],
  [
    "space is a token",
    /^((row-|column-)?gap|(padding|margin)(-[a-z-]+)?)$/,
    (value) => /[1-9]\d*(\.\d+)?(px|r?em)/.test(rest(value, /(?<!\d)-?1px/g)),
  ],
];

test.each(rules)("%s", (_, properties, fault) => {
  const checked = all.filter(({ property }) => properties.test(property));
  expect(checked.length).toBeGreaterThan(0);
  const faults = checked.filter(({ value }) => fault(value));
  expect(faults.map(({ file, property, value }) => `${file}: ${property}: ${value}`)).toEqual([]);
});

test("only opacity and transform change in animations, and the first paint waits for one", () => {
  const frames = files.flatMap((file) => {
    const text = readFileSync(new URL(file, source), "utf8");
    return [...text.matchAll(/@keyframes [a-z-]+ \{(.*?)\n\}/gs)].flatMap(([, body = ""]) =>
      [...body.matchAll(/([a-z-]+): /g)].map(([, property]) => property),
    );
  });
  expect(new Set(frames)).toEqual(new Set(["opacity", "transform", "content-visibility"]));
});

test("the cross of a search box is ours, not the browser's", () => {
  const base = readFileSync(new URL("ui/base.css", source), "utf8");
  const [, cross = ""] = /::-webkit-search-cancel-button \{(.*?)\n\}/s.exec(base) ?? [];
  expect(cross).toContain("appearance: none;");
  expect(cross).toContain("background: var(--ink-quiet);");
});

test("every token is there, and used", () => {
  const made = declaredNames(readFileSync(new URL(tokens, source), "utf8"));
  const texts = sheets.map((file) => readFileSync(new URL(file, source), "utf8"));
  const parts = named(".tsx").map((file) => readFileSync(new URL(file, source), "utf8"));
  const local = new Set(texts.flatMap((text) => [...declaredNames(text)]));
  const used = new Set(
    [...texts, ...parts].flatMap((text) => [...text.matchAll(/var\((--[a-z0-9-]+)/g)].map(([, name]) => name)),
  );
  expect([...used].filter((name) => name && !local.has(name))).toEqual([]);
  expect([...made].filter((name) => !used.has(name))).toEqual([]);
});

function declaredNames(css: string): Set<string> {
  return new Set([...css.matchAll(/(?<=^|[{;])\s*(--[a-z0-9-]+):/gm)].map(([, name = ""]) => name));
}

test("search boxes and menus have our own cross and a single ring", () => {
  const rule = (file: string, selector: string) => {
    const text = readFileSync(new URL(file, source), "utf8");
    const start = text.lastIndexOf(`${selector} {`);
    return start < 0 ? "" : text.slice(start, text.indexOf("}", start));
  };
  const cross = rule("ui/base.css", 'input[type="search"]::-webkit-search-cancel-button');
  expect(cross).toContain("appearance: none");
  expect(cross).toContain("clip-path");
  expect(rule("ui/Menu.module.css", ".item:focus-visible")).toContain("outline-offset: -2px");
});
