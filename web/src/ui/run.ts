import { createContext } from "react";
import type { RunOptions } from "@/lib/sharing/runAddress";

/** What a session is started from. */
export interface RunTarget {
  id: string;
  name: string;
  of: "entry" | "project";
  options?: RunOptions;
  /** Why the last run of it by the catalog failed. */
  failed?: string | undefined;
  /** What that run took, whatever came out. */
  took?:
    | { seconds: number; peakMemoryBytes?: number | undefined; verdict?: string; needs?: string | undefined }
    | undefined;
}

/**
 * Starts a session in a new tab; visitors sign in first, and it starts in their tab then. Call it within a click: later, browsers
 * open no tab. It settles with the first news of the session.
 */
export const RunContext = createContext<(target: RunTarget) => Promise<void>>(async () => {});
