import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createServer, type Plugin } from "vite";

/** Stands in the document where the server writes the name of the product. */
const productPlace = "cairn:product";

const root = '<div id="root"></div>';

/**
 * Draws the navigation bar into index.html: it is painted as soon as the style sheet is there, while the page's script
 * still loads. It is the page's own component, so that there is one bar to change.
 */
export function shell(): Plugin {
  return {
    name: "cairn-shell",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      async handler(document) {
        if (!document.includes(root)) throw new Error(`index.html has no ${root} to draw the navigation bar into`);
        const server = await createServer({
          appType: "custom",
          logLevel: "error",
          server: { middlewareMode: true, ws: false },
        });
        try {
          const { Shell } = await server.ssrLoadModule("/src/app/Shell.tsx");
          const drawn = renderToStaticMarkup(createElement(Shell, { product: productPlace }));
          // Links work without the script, buttons do not.
          const idle = drawn.replaceAll("<button ", "<button disabled ");
          // The first picture is the mark, which an institution may replace by its own.
          const bar = idle.replace(/<svg.*?<\/svg>/, (mark) => `<!--cairn:mark-->${mark}<!--/cairn:mark-->`);
          return document.replace(root, () => root.replace("><", `>${bar}<`));
        } finally {
          await server.close();
        }
      },
    },
  };
}
