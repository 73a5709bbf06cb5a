import type { components } from "./schema";

type Schemas = components["schemas"];

export type ProblemCode = Schemas["Problem"]["code"];
export type Config = Schemas["PublicConfig"];
export type Resource = Schemas["Resource"];
export type ResourceType = Resource["type"];
export type ResourcePage = Schemas["ResourcePage"];
export type SearchHint = Schemas["Hint"];
export type SearchMatch = Schemas["Match"];
export type DatasetFolder = Schemas["Listing"];
export type DatasetEntry = Schemas["ListingEntry"];
export type DatasetTable = Schemas["Table"];
export type TableColumn = Schemas["TableColumn"];
export type Folder = Schemas["Folder"];
export type FolderEntry = Schemas["Entry"];
export type Project = Schemas["Project"];
export type Session = Schemas["Session"];
export type OperatorEntry = Schemas["OperatorEntry"];
export type OperatorEntryPage = Schemas["OperatorEntryPage"];
export type OperatorSession = Schemas["OperatorSession"];
export type OperatorSessionPage = Schemas["OperatorSessionPage"];
export type Forecast = Schemas["Forecast"];
export type SessionKind = Schemas["SessionKind"];
export type Account = Schemas["Me"];
export type Person = Schemas["Person"];
export type PersonPage = Schemas["PersonPage"];
export type Descriptor = Schemas["Descriptor"];
