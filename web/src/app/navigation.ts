/** The items of the navigation bar. All are always shown; those that need a login lead through it. */
export const navigation = [
  {
    label: "Catalog",
    to: "/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL",
    holds: (path: string) => path.startsWith("/resources") && path !== "/resources/starred",
  },
  { label: "Sessions", to: "/sessions", holds: (path: string) => path.startsWith("/sessions") },
  { label: "Add", to: "/add", holds: (path: string) => path.startsWith("/add") },
  { label: "Starred", to: "/resources/starred", holds: (path: string) => path === "/resources/starred" },
  { label: "Events", to: "/events", holds: (path: string) => path === "/events" },
];
