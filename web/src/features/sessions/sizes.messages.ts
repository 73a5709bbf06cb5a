import { count } from "@/lib/format";

export const sizesMessages = {
  legend: "Size",
  waiting: (sessions: number) => `${count(sessions, "session is", "sessions are")} waiting for it.`,
  chosen: (label: string, has: string) => (has === "" ? label : `${label} (${has})`),
  full: "No slot is free right now, so it has to wait.",
  less: (needs: string) => `. Its authors ask for ${needs}.`,
  asks: (needs: string) => `Its authors ask for ${needs}.`,
  fits: (needs: string, size: string) => `Its authors ask for ${needs}. ${size} is the smallest size that has that.`,
  lacks: (needs: string, size: string) => `Its authors ask for ${needs}. ${size} has less, so it may be slow or fail.`,
  noneFits: (needs: string) => `Its authors ask for ${needs}, and no size here has that. Choose one to try it anyway.`,
  tooSmall: (needs: string) => `Its authors ask for ${needs}, and sessions here have less.`,
} as const;
