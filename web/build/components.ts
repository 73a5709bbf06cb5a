import { createServer } from "vite";

/** What a module of the page exports. */
type Module = Record<string, unknown>;

/** Runs `use` with a function that loads modules of the page as they are in the browser, to draw parts of it beforehand. */
export async function withComponents<Result>(
  use: (load: (path: string) => Promise<Module>) => Promise<Result>,
): Promise<Result> {
  const server = await createServer({
    appType: "custom",
    logLevel: "error",
    server: { middlewareMode: true, ws: false },
  });
  try {
    return await use((path) => server.ssrLoadModule(path));
  } finally {
    await server.close();
  }
}
