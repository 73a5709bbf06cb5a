import { count } from "@/lib/format";

export const userMenuMessages = {
  somebody: "Signed in",
  label: (name: string, waiting: number) =>
    `Account of ${name}${waiting > 0 ? `, ${count(waiting, "account", "accounts")} waiting}` : ""}`,
  accounts: "Accounts",
  server: "Server and catalog",
  workshops: "Workshops",
  activity: "Your activity",
  connections: "Connected accounts",
  tokens: "Access tokens",
  waiting: (waiting: number) => `${waiting} waiting`,
  manyWaiting: (waiting: number) => (waiting > 99 ? "99+" : String(waiting)),
  logout: "Logout",
} as const;
