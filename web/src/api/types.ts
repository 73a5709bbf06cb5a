import type { components } from "./schema";

export type Schemas = components["schemas"];

export type ProblemCode = Schemas["Problem"]["code"];
/** `runs`: whether this server runs entries for the catalog. */
export type Config = Schemas["PublicConfig"] & { runs?: boolean };
export type Resource = Schemas["Resource"];
export type ResourceType = Resource["type"];
export type ResourcePage = Schemas["ResourcePage"];
export type Credited = Schemas["Credited"];
export type CreditedPage = Schemas["CreditedPage"];
export type Found = Schemas["Found"];
export type ArchivedRecord = Schemas["ArchivedRecord"];
export type ArchivedFile = Schemas["ArchivedFile"];
export type CitationText = Schemas["CitationText"];
/** The fields of an entry's form that the checks of its score name. */
export type CheckedField = NonNullable<Schemas["Fix"]["field"]>;
export type NotebookPage = Schemas["NotebookPage"];
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
export type StructureNode = Schemas["Node"];
export type TableColumn = Schemas["TableColumn"];
export type Folder = Schemas["Folder"];
export type FolderEntry = Schemas["Entry"];
export type RelatedEntry = Schemas["RelatedEntry"];
export type Project = Schemas["Project"];
export type Member = Schemas["Member"];
export type Session = Schemas["Session"];
export type Version = Schemas["Version"];
export type VersionPage = Schemas["VersionPage"];
export type VersionFile = Schemas["VersionFile"];
export type VersionFilePage = Schemas["VersionFilePage"];
export type VersionDiff = Schemas["FileDifference"];
export type DiffLine = Schemas["TextLine"];
export type DiffCell = Schemas["NotebookCell"];
export type OperatorEntry = Schemas["OperatorEntry"];
export type OperatorEntryPage = Schemas["OperatorEntryPage"];
export type Overview = Schemas["Overview"];
export type Health = Schemas["Health"];
export type OperatorSession = Schemas["OperatorSession"];
export type OperatorSessionPage = Schemas["OperatorSessionPage"];
export type LogPart = Schemas["LogPart"];
export type Forecast = Schemas["Forecast"];
export type ProfileState = Schemas["ProfileState"];
export type EngineProfiles = Schemas["EngineProfiles"];
export type SessionKind = Schemas["SessionKind"];
/** What a session is used in. */
export type Interface = SessionKind["interfaces"][number];
export type Account = Schemas["Me"];
export type Person = Schemas["Person"];
export type PersonPage = Schemas["PersonPage"];
export type AccessToken = Schemas["AccessToken"];
export type AccessTokenPage = Schemas["AccessTokenPage"];
export type CreatedToken = Schemas["CreatedToken"];
export type ConnectedHost = Schemas["ConnectedHost"];
export type Connection = Schemas["Connection"];
export type BegunConnection = Schemas["BegunConnection"];
export type RemovedConnection = Schemas["RemovedConnection"];
export type TokenScope = AccessToken["scopes"][number];
export type AuditRecord = Schemas["AuditRecord"];
export type AuditPage = Schemas["AuditPage"];
export type FileDraft = Schemas["FileDraft"];
export type Descriptor = Schemas["Descriptor"];
export type Job = Schemas["Job"];
export type JobPage = Schemas["JobPage"];
export type JobFilePage = Schemas["FilePage"];
/** What is asked for when a job is started or scheduled. */
export type JobWish = Schemas["AskInputBody"];
export type JobTimes = Schemas["When"];
export type Schedule = Schemas["Schedule"];
export type Parameter = Schemas["Parameter"];
export type DeclaredParameters = Schemas["Declared"];
export type Visit = Schemas["Visit"];
export type Share = Schemas["Share"];
export type ShareWish = Schemas["Wanted"];
/** What others may do with a session; each one includes those before it. */
export type ShareLevel = Share["can"];
/** A session of somebody else. */
export type SharedSession = Schemas["Shared"];
export type ShareRequest = Schemas["Request"];
export type ShareAnswer = Schemas["Answer"];
export type LookCell = Schemas["LookCell"];
export type LookFile = Schemas["LookFile"];
export type LookedAt = Schemas["LookedAt"];
/** What a session shows. */
export type SessionView = Omit<Schemas["Seen"], "shared" | "notebook"> & { notebook: LookedAt | null };
