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
