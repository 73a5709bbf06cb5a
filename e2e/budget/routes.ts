import type { CairnServer } from "../support/server";

/** All types, as the navigation bar's item asks for them. */
export const catalog = "/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL";

/** The page of an entry of the demo. */
export async function entryPath(cairn: CairnServer, type: "REPOSITORY" | "DATASET"): Promise<string> {
  const answer = await fetch(`${cairn.url}/api/v1/rf/resources/public?type=${type}`);
  const { content } = (await answer.json()) as { content: { id: string }[] };
  const folder = { REPOSITORY: "repositories", DATASET: "datasets" }[type];
  return `/resources/${folder}/${content[0]?.id}`;
}
