import type { SharedSession } from "@/api/types";

export const linkMessages = {
  following: "Following the link",
  none: "There is no link to follow here.",
  noneWhy: "Open the whole link once more, as it was given to you.",
  noneFollowed: "What you have followed with your account is on your dashboard, below Shared with you.",
  leadsNowhere: "There is nothing behind this link.",
  failed: "The link couldn't be followed.",
  toSessions: "Go to your sessions",
  toCatalog: "Browse the catalog",
  signIn: "Sign in to follow this link.",

  title: (session: string) => `Work in ${session}`,
  subtitle: "Nothing is opened yet.",
  facts: "About this session",
  owner: "Owner",
  holds: "Started from",
  can: "You may",
  canDo: {
    see: "See it",
    copy: "See it and take a copy",
    edit: "Work in it",
    owner: "Do everything: it's yours",
  } satisfies Record<SharedSession["can"], string>,
  means: (owner: string) => `You work in ${owner}'s session as ${owner}.`,
  meansWhat: "What you run there has their rights, and what you change is changed for them.",
  notRunning: (owner: string) => `It isn't running, and only ${owner} can start it.`,
  open: "Open in Jupyter",
  see: "Only look at it",
} as const;
