import { createHash } from "node:crypto";
import { basename, relative } from "node:path";
import type { Plugin } from "vite";
import { serverFolder } from "./serverScripts.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const all = `${letters}0123456789-_`;

/**
 * Names classes of CSS modules with four characters, the same in every build. They are in style sheets, scripts and
 * documents, and compress badly, so each further one would cost all visits half a kilobyte. Two classes with the same name
 * end the build: rename one.
 */
export class ScopedNames {
  private readonly taken = new Map<string, string>();
  private readonly files = new Map<string, string>();
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Names a class of a style sheet. */
  readonly name = (name: string, file: string): string => {
    const sheet = relative(this.root, file.replace(/\?.*$/, ""));
    const of = `${sheet} .${name}`;
    const [first = 0, ...rest] = createHash("sha256").update(of).digest();
    const short = [letters[first % letters.length], ...rest.slice(0, 3).map((byte) => all[byte % all.length])].join("");
    const module = basename(sheet, ".module.css");
    expectSame(this.taken, short, of, "The classes");
    expectSame(this.files, module, sheet, "The style sheets");
    return short;
  };

  /** Returns all names by what the server's documents call the classes, such as "Page.wide". */
  table(): Record<string, string> {
    const named = [...this.taken].map(([short, of]) => [of.replace(/^.*?([^/]*)\.module\.css /, "$1"), short]);
    return Object.fromEntries(named.sort());
  }

  /** Writes the table for the server, which never serves it. */
  plugin(): Plugin {
    const names = this;
    return {
      name: "cairn-class-names",
      apply: "build",
      generateBundle() {
        this.emitFile({
          type: "asset",
          fileName: `${serverFolder}/classes.json`,
          source: JSON.stringify(names.table(), null, 1),
        });
      },
    };
  }
}

function expectSame(known: Map<string, string>, key: string, value: string, what: string): void {
  const other = known.get(key) ?? value;
  if (other !== value) throw new Error(`${what} "${other}" and "${value}" get the same name: rename one of them`);
  known.set(key, value);
}
