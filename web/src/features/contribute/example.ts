/** A descriptor that can be used as it is, once its texts are replaced. */
export function exampleDescriptor(author: string, name = "The name of your work"): string {
  return `project:
  name: ${JSON.stringify(name)}
  description: |
    What it does and for whom, in Markdown.
  authors:
    - ${JSON.stringify(author)}
  tags:
    - neuroscience
    - molecular dynamics
  privacy: PUBLIC
`;
}

/** The name of the repository of an address, as a first name for its entry. */
export function repositoryName(address: string): string | undefined {
  const name = address
    .replace(/[?#].*$/, "")
    .split("/")
    .filter(Boolean)
    .at(-1);
  return name === "" ? undefined : name;
}
