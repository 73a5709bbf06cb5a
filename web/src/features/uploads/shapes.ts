import type { Schemas } from "@/api/types";

/** The types of entries that uploaded files can become. */
export type UploadType = "NOTEBOOK" | "DATASET" | "REPOSITORY";

/** An upload that no entry uses yet. */
export type StoredUpload = Schemas["Upload"];
export type StoredUploads = Schemas["UploadPage"];

/** The uploads that a call uses, with their SHA-256 in hexadecimal digits by their ids, as far as they are known. */
export interface UsedUploads {
  upload: string[];
  digests: Record<string, string>;
}

/** What is in uploaded files. */
export type UploadContents = Schemas["UploadContents"];

/** What goes on until uploaded files are an entry, or a version of one. */
export type UploadTask = Schemas["UploadTask"];

export type AddedVersion = Schemas["MadeVersion"];

/** A version of an entry. */
export type EntryVersionRow = Schemas["EntryVersion"];

/** The versions of an entry, the newest first. */
export type EntryVersionList = Schemas["EntryVersionPage"];

/** A file that differs in two versions. */
export type ChangedFile = Schemas["EntryChange"];
export type VersionChanges = Schemas["EntryChanges"];
