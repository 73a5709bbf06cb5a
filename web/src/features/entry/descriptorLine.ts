/** The lines of a descriptor, below project, for the fields that checks of an entry name. */
const lines: Record<string, string> = {
  description: 'description: "What it does, for whom."',
  doi: "doi: 10.5281/zenodo.1234",
  license: "license: CC-BY-4.0",
  orcid: "authors: [{name: Your Name, email: you@example.org, orcid: 0000-0002-1825-0097}]",
  people: "authors: [{name: Your Name, email: you@example.org, orcid: 0000-0002-1825-0097}]",
  tags: "tags: [neuroscience, spikes]",
  version: 'version: "1.0"',
};

/** Returns a line that sets a field; undefined for one that descriptors don't have. */
export const descriptorLine = (field: string): string | undefined => lines[field];
