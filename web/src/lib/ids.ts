/** Reports whether a text has the form of an id. Other texts are never found, and some are names of API calls. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
