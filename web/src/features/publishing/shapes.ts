import type { Schemas } from "@/api/types";

/** What can be published from a session, and what it says about itself. */
export type SessionContents = Schemas["SessionContents"];

export type ContentFile = SessionContents["files"][number];
export type SecretWarning = SessionContents["warnings"][number];

/** An entry that a session came from, whose authors are others. */
export type Origin = Schemas["Origin"];

export type Publication = Schemas["Publication"];
export type Published = Schemas["Published"];
