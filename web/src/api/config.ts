import { createContext, useContext } from "react";
import { answer, api } from "./client";
import type { Config } from "./types";

/**
 * What the page needs to know first. The server writes it into the document; Vite's development server doesn't, so there
 * it is fetched.
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
