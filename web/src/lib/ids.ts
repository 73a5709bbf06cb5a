/** Tells whether a text can be the id of something on the server. Others are found nowhere, and some are names of calls. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
