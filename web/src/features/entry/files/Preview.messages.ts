import { count } from "@/lib/format";

export const previewMessages = {
  runWith: "Run with …",
  openIn: (host: string) => `Open in ${host}`,
  notebook: (name: string) => `Notebook ${name}`,
  loading: "Loading the file",
  failure: "The file cannot be shown.",
  facts: (lines: number, size: string, asOf: string | undefined) =>
    `${count(lines, "line", "lines")}, ${size}${asOf ? `, as of ${asOf}` : ""}`,
  text: "Text",
  copy: "Copy the text",
  download: "Download",
} as const;
