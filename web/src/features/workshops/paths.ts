import { resourcePath } from "@/features/catalog/kinds";
import type { Workshop } from "./types";

/** The addresses of a workshop's pages. */
export const workshopPath = (id: string, page?: "board" | "edit" | "report" | "screen"): string =>
  `/workshops/${encodeURIComponent(id)}${page ? `/${page}` : ""}`;

/** The address of the entry that a workshop is about. */
export const entryPath = ({ id, type = "REPOSITORY" }: NonNullable<Workshop["entry"]>): string =>
  resourcePath({ id, type });
