import { createElement, type ReactNode } from "react";
import type { Resource } from "@/api/types";

/* Actions of Go's html/template around elements, and in their place; build/content.ts writes them. */

interface ActionProps {
  /** What decides, in the template's language. */
  of: string;
  children: ReactNode;
  /** Shown instead if `of` is empty. */
  otherwise?: ReactNode;
}

export function If({ of, children, otherwise }: ActionProps) {
  return createElement("go-if", { of }, children, otherwise && createElement("go-else"), otherwise);
}

/** Repeats its children for each element of `of`, which is the dot in them. */
export function Range({ of, children }: Omit<ActionProps, "otherwise">) {
  return createElement("go-range", { of }, children);
}

/** A text that the template writes. */
export const text = (value: string) => `{{${value}}}`;

/** An address, or a part of one, that the template writes: in the form of a page's path, which components leave as it is. */
export const address = (value: string) => `/${part(value)}`;
export const part = (value: string) => `go:${value.replaceAll(".", ":")}`;

/** The parts of an entry that Cover looks at. */
export const withCover = (headerImageUrl: string) => ({ coverUrl: address(".CoverURL"), headerImageUrl }) as Resource;
