import type { components } from "./schema";

type Schemas = components["schemas"];

export type ProblemCode = Schemas["Problem"]["code"];
/** `runs`: whether this server runs entries for the catalog. */
export type Config = Schemas["PublicConfig"] & { runs?: boolean };
export type Resource = Schemas["Resource"];
export type ResourceType = Resource["type"];
export type ResourcePage = Schemas["ResourcePage"];
export type Run = Schemas["Run"];
export type RunPage = Schemas["RunPage"];
export type LastRun = Schemas["LastRun"];
/** How last runs came out, for searches. */
export type RunOutcome = keyof Schemas["RunsFacet"];
export type SearchHint = Schemas["Hint"];
export type SearchMatch = Schemas["Match"];
export type DatasetFolder = Schemas["DatasetFolder"];
export type DatasetEntry = Schemas["ListingEntry"];
export type DatasetTotal = Schemas["Total"];
export type DatasetTable = Schemas["Table"];
export type TableColumn = Schemas["TableColumn"];
export type Folder = Schemas["Folder"];
export type FolderEntry = Schemas["Entry"];
export type RelatedEntry = Schemas["RelatedEntry"];
export type Project = Schemas["Project"];
export type Session = Schemas["Session"];
export type OperatorEntry = Schemas["OperatorEntry"];
export type OperatorEntryPage = Schemas["OperatorEntryPage"];
export type OperatorSession = Schemas["OperatorSession"];
export type OperatorSessionPage = Schemas["OperatorSessionPage"];
export type LogPart = Schemas["LogPart"];
export type Forecast = Schemas["Forecast"];
export type SessionKind = Schemas["SessionKind"];
export type Account = Schemas["Me"];
export type Person = Schemas["Person"];
export type PersonPage = Schemas["PersonPage"];
export type AccessToken = Schemas["AccessToken"];
export type AccessTokenPage = Schemas["AccessTokenPage"];
export type CreatedToken = Schemas["CreatedToken"];
export type TokenScope = AccessToken["scopes"][number];
export type AuditRecord = Schemas["AuditRecord"];
export type AuditPage = Schemas["AuditPage"];
export type FileDraft = Schemas["FileDraft"];
export type Descriptor = Schemas["Descriptor"];
