import { catalogScenes } from "./catalog";
import { contributeScenes } from "./contribute";
import { curationScenes } from "./curation";
import { depositScenes } from "./deposits";
import { entryScenes } from "./entries";
import { identityScenes } from "./identity";
import { jobScenes } from "./jobs";
import { operatorScenes } from "./operators";
import { projectScenes } from "./projects";
import { publishingScenes } from "./publishing";
import { sessionScenes } from "./sessions";
import { sharingScenes } from "./sharing";
import { siteScenes } from "./site";
import { sourceScenes } from "./sources";
import type { Scene } from "./state";
import { uploadScenes } from "./uploads";
import { versionScenes } from "./versions";
import { workshopScenes } from "./workshops";

/** Every route of the page in every state, and the pages of the session origin and the embedded provider. */
export const scenes: Scene[] = [
  ...siteScenes,
  ...catalogScenes,
  ...entryScenes,
  ...curationScenes,
  ...operatorScenes,
  ...projectScenes,
  ...sessionScenes,
  ...sharingScenes,
  ...versionScenes,
  ...jobScenes,
  ...workshopScenes,
  ...contributeScenes,
  ...uploadScenes,
  ...depositScenes,
  ...publishingScenes,
  ...sourceScenes,
  ...identityScenes,
];
