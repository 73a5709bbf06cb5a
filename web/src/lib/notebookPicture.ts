/** A picture of a notebook as the address of an <img>, where nothing of it runs. */
export function pictureAddress(mime: string, text: string): string {
  return mime === "image/svg+xml"
    ? `data:${mime},${encodeURIComponent(text)}`
    : `data:${mime};base64,${text.replace(/\s/g, "")}`;
}
