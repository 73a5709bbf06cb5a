import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createServer, type Plugin } from "vite";

/** The placeholder for the product's name, which the server fills in. */
const productPlace = "cairn:product";

const root = '<div id="root"></div>';

/**
 * Renders the navigation bar into index.html, so that it is painted while the page's script is still loading. It uses the
 * page's component, so there is only one bar to change.
 */
export function shell(): Plugin {
  return {
    name: "cairn-shell",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      async handler(document) {
        if (!document.includes(root)) throw new Error(`index.html has no ${root} to draw the navigation bar into`);
        const drawn = renderToStaticMarkup(createElement(await loadShell(), { product: productPlace }));
        // Links work without the script, buttons do not.
        const idle = drawn.replaceAll("<button ", "<button disabled ");
        // The first picture is the mark, which an institution may replace.
        const bar = idle.replace(/<svg.*?<\/svg>/, (mark) => `<!--cairn:mark-->${mark}<!--/cairn:mark-->`);
        const drawnIn = document.replace(root, () => root.replace("><", `>${bar}<`));
        // What the document shows comes before the scripts, also on a slow line.
        const scripts = /\s*<(script type="module"[^>]*><\/script|link rel="modulepreload"[^>]*)>/g;
        const found = drawnIn.match(scripts) ?? [];
        return drawnIn.replace(scripts, "").replace("</body>", () => `${found.join("")}\n  </body>`);
      },
    },
  };
}

/** Loads the component as it is in the browser. */
async function loadShell(): Promise<FunctionComponent<{ product: string }>> {
  const server = await createServer({
    appType: "custom",
    logLevel: "error",
    server: { middlewareMode: true, ws: false },
  });
  try {
    return (await server.ssrLoadModule("/src/app/Shell.tsx")).Shell;
  } finally {
    await server.close();
  }
}
