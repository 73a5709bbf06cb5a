import { navigationMessages as words } from "./navigation.messages";

/** The items of the navigation bar. All are always shown; those that need a login lead to it. */
export const navigation = [
  {
    label: words.catalog,
    to: "/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL",
    holds: (path: string) => path.startsWith("/resources") && path !== "/resources/starred",
  },
  { label: words.sessions, to: "/sessions", holds: (path: string) => /^\/(session|job)s/.test(path) },
  { label: words.add, to: "/add", holds: (path: string) => path.startsWith("/add") },
  { label: words.starred, to: "/resources/starred", holds: (path: string) => path === "/resources/starred" },
  { label: words.events, to: "/events", holds: (path: string) => path.startsWith("/events") },
];
