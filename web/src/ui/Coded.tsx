/** A sentence of a messages file: text between backticks is shown as code. */
export function Coded({ text }: { text: string }) {
  return text.split("`").map((part, i) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change places.
    return i % 2 === 1 ? <code key={i}>{part}</code> : part;
  });
}
