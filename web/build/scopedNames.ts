import { createHash } from "node:crypto";
import { relative } from "node:path";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const all = `${letters}0123456789-_`;

/**
 * Names classes of CSS modules with four characters, the same in every build. They are in style sheets, scripts and
 * documents, and compress badly, so each further one would cost all visits half a kilobyte. Two classes with the same name
 * end the build: rename one.
 */
export function scopedNames(root: string): (name: string, file: string) => string {
  const taken = new Map<string, string>();
  return (name, file) => {
    const of = `${relative(root, file.replace(/\?.*$/, ""))} .${name}`;
    const [first = 0, ...rest] = createHash("sha256").update(of).digest();
    const short = [letters[first % letters.length], ...rest.slice(0, 3).map((byte) => all[byte % all.length])].join("");
    const other = taken.get(short) ?? of;
    if (other !== of) throw new Error(`The classes "${other}" and "${of}" get the same name: rename one of them`);
    taken.set(short, of);
    return short;
  };
}
