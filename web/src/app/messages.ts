/** The words of the frame around all pages. */

export const errorBoundaryMessages = {
  heading: "Something went wrong",
  title: "This page could not be shown.",
  kept: "The other pages work, and nothing that was saved is lost. Reload it to try again.",
  reload: "Reload",
} as const;

export const connectionMessages = {
  title: "The server cannot be reached.",
  body: "What you see here stays, and sessions go on running. The page goes on by itself when the connection is back.",
} as const;

export const footerMessages = {
  footer: "Footer",
  contact: "Questions:",
  version: (version: string) => `Version ${version}`,
} as const;

export const layoutMessages = { skip: "Skip to the content" } as const;

export const navigationMessages = {
  main: "Main",
  menu: "Menu",
  login: "Login",
  catalog: "Catalog",
  sessions: "Sessions",
  add: "Add",
  starred: "Starred",
  events: "Events",
} as const;

export const notFoundMessages = {
  body: "There is no page at this address. Check it for a typo, or look for what you need in the catalog.",
  search: "Search the catalog",
  placeholder: "Names, topics, tags, authors",
  browse: "Browse the catalog",
  first: "Go to the home page",
} as const;

export const startMessages = { failed: "The page could not start." } as const;
