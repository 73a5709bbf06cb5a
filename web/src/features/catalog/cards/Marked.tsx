import type { SearchMatch } from "@/api/types";

/** A text with the parts that match a search marked. */
export function Marked({ text, marks = [] }: { text: string; marks?: SearchMatch["marks"] | undefined }) {
  return (
    <>
      {marks.map(([begin = 0, end = 0], index) => (
        <span key={begin}>
          {text.slice(marks[index - 1]?.[1], begin)}
          <mark>{text.slice(begin, end)}</mark>
        </span>
      ))}
      {text.slice(marks.at(-1)?.[1])}
    </>
  );
}
