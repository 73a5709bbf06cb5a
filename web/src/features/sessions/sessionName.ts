import { newSessionMessages } from "./newSession.messages";

/** The longest name the server accepts, in characters. */
export const longestName = 200;

/** The name a new session gets unless its user types another: `{local date} {project name} Session`. */
export function defaultSessionName(projectName: string, today: Date, language?: string): string {
  const date = today.toLocaleDateString(language);
  const room = longestName - [...newSessionMessages.defaultName(date, "")].length;
  return newSessionMessages.defaultName(date, [...projectName].slice(0, room).join("").trim());
}
