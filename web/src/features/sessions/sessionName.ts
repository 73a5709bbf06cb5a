import { newSessionMessages } from "./newSession.messages";

/** The longest name the server accepts, in characters. */
export const longestName = 200;

/**
 * The name a new session gets unless its user types another: `{local date} {project name} Session`, with a number if one
 * of the `taken` names is the same.
 */
export function defaultSessionName(projectName: string, today: Date, taken: string[], language?: string): string {
  const date = today.toLocaleDateString(language);
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? "" : ` ${number}`;
    const room = longestName - [...(newSessionMessages.defaultName(date, "") + ending)].length;
    const name = newSessionMessages.defaultName(date, [...projectName].slice(0, room).join("").trim()) + ending;
    if (!taken.includes(name)) return name;
  }
}
