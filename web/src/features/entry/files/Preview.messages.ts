import { count } from "@/lib/format";

export const previewMessages = {
  runWith: "Run with …",
  openIn: (host: string) => `Open in ${host}`,
  notebook: (name: string) => `Notebook ${name}`,
  loading: "Loading the file",
  notFramed: "Notebooks of private repositories aren't shown on this page. This one opens in a session of the entry.",
  failure: "The file cannot be shown.",
  facts: (lines: number, size: string, asOf: string | undefined) =>
    `${count(lines, "line", "lines")}, ${size}${asOf ? `, as of ${asOf}` : ""}`,
  text: "Text",
  copy: "Copy the text",
  download: "Download",
} as const;
