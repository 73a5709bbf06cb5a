import { count } from "@/lib/format";

export const personPageMessages = {
  absent: "Person not found",
  absentDetail: "No entry credits this person, or you don't have access to it.",
  browse: "Browse the catalog",
  failure: "The page of this person couldn't be loaded.",
  loading: "Loading this person",
  orcid: "ORCID iD",
  profile: (orcid: string) => `orcid.org/${orcid}`,
  namesakes: "These entries name no ORCID iD, so they may be by several people of this name.",
  total: (entries: number) => count(entries, "entry", "entries"),
  entries: "Entries",
} as const;
