import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import type { Plugin } from "vite";
import { withComponents } from "./components.ts";
import { serverFolder } from "./serverScripts.ts";

/** The file with the templates, which internal/page executes and never serves. */
export const contentFile = `${serverFolder}/content.html`;

/** Components read these when they are drawn; nothing is stored here, and no document has data yet. */
const browser = { localStorage: { getItem: () => null }, document: { getElementById: () => null } };

/**
 * Draws the templates of src/app/content with the page's own components, so that what a document shows before the page's
 * script runs looks like what replaces it, and is written once.
 */
export function content(): Plugin {
  return {
    name: "cairn-content",
    apply: "build",
    async generateBundle(_, bundle) {
      Object.assign(globalThis, browser);
      const drawn = await withComponents(async (load) => {
        const { templates } = (await load("/src/app/content/templates.tsx")) as {
          templates: (draw: (element: ReactElement) => string) => Record<string, string>;
        };
        // Without the links with which React would fetch pictures early.
        return templates((element) => renderToStaticMarkup(element).replace(/<link rel="preload"[^>]*>/g, ""));
      });
      const files = new Map<string, string>();
      for (const file of Object.values(bundle)) {
        if (file.type === "asset")
          for (const name of file.originalFileNames) files.set(`/${name}`, `/${file.fileName}`);
      }
      const source = Object.entries(drawn).map(([name, html]) => `{{define "${name}"}}${written(html, files)}{{end}}`);
      this.emitFile({ type: "asset", fileName: contentFile, source: source.join("\n") });
    },
  };
}

/** Turns what stands for actions and addresses in drawn components into a template of Go's html/template. */
export function written(html: string, files: ReadonlyMap<string, string>): string {
  return (
    html
      .replace(/<go-(if|range) of="([^"]*)">/g, (_, action, of) => `{{${action} ${of}}}`)
      .replaceAll("<go-else></go-else>", "{{else}}")
      .replace(/<\/go-(if|range)>/g, "{{end}}")
      .replace(/(href|src|action)="([^"]*go(?::|%3A)[^"]*)"/g, (_, name, address) => `${name}="${filled(address)}"`)
      .replace(/ data-open="([^"]*)"/g, (_, of) => `{{if ${of}}} open{{end}}`)
      .replace(/\{\{[^}]*\}\}/g, plain)
      // The policy of the page allows no styles in attributes.
      .replace(/ style="[^"]*"/g, "")
      .replace(/(src)="(\/src\/[^"]*)"/g, (_, name, path) => `${name}="${files.get(path) ?? missing(path)}"`)
      // Most controls do nothing without the script; a form is sent.
      .replaceAll('<button type="button"', '<button disabled type="button"')
      .replaceAll("<select ", "<select disabled ")
  );
}

/** An address, or a part of one, that an action writes. */
function filled(address: string): string {
  return decodeURIComponent(address.replaceAll("+", " "))
    .replace(/^\/(?=go:)/, "")
    .replace(/go:([^&]*)/, (_, value) => `{{${value.replaceAll(":", ".")}}}`);
}

function missing(path: string): never {
  throw new Error(`The page is built without ${path}, which a template shows.`);
}

function plain(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
