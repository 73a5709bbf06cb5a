import { createContext, useContext } from "react";
import { answer, api } from "./client";
import type { Config } from "./types";

/**
 * What the page must know before anything else. The server wrote it into the document; only the development server of
 * the page does not, and then it is asked for.
 */
export async function loadConfig(): Promise<Config> {
  const written = document.getElementById("config")?.textContent;
  return written ? JSON.parse(written) : answer(api.GET("/api/v1/rf/config"));
}

export const ConfigContext = createContext<Config | null>(null);

/** The configuration of this server. */
export function useConfig(): Config {
  const config = useContext(ConfigContext);
  if (!config) throw new Error("useConfig needs a ConfigContext above it");
  return config;
}
