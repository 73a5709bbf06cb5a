import { exampleMessages as words } from "./example.messages";

/** A descriptor that is valid once its texts are replaced. */
export function exampleDescriptor(author: string, name: string = words.name): string {
  return `project:
  name: ${JSON.stringify(name)}
  description: |
    ${words.description}
  authors:
    - ${JSON.stringify(author)}
  tags:
${words.tags.map((tag) => `    - ${tag}`).join("\n")}
  privacy: PUBLIC
`;
}

/** The name of the repository at an address, as a suggestion for the entry's name. */
export function repositoryName(address: string): string | undefined {
  const name = address
    .replace(/[?#].*$/, "")
    .split("/")
    .filter(Boolean)
    .at(-1);
  return name === "" ? undefined : name;
}
