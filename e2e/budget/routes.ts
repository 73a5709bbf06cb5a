import type { CairnServer } from "../support/server";

/** All types, as in the navigation bar's link. */
export const catalog = "/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL";

const folders = { REPOSITORY: "repositories", NOTEBOOK: "notebooks", DATASET: "datasets", MODEL: "models" };

/** The page of one of the demo's entries. */
export async function entryPath(cairn: CairnServer, type: keyof typeof folders): Promise<string> {
  const answer = await fetch(`${cairn.url}/api/v1/rf/resources/public?type=${type}`);
  const { content } = (await answer.json()) as { content: { id: string }[] };
  return `/resources/${folders[type]}/${content[0]?.id}`;
}
