import type { ReactNode } from "react";
import { Note } from "./Note";

interface AlertProps {
  /** One sentence: the error, or the information. */
  title: ReactNode;
  /** Something failed: screen readers announce it at once. Otherwise it is only visible, in its place. */
  failed?: boolean;
  /** Why, and how to go on. */
  children?: ReactNode;
}

/** A note with a headline, in the place that it is about. */
export function Alert({ title, failed = false, children }: AlertProps) {
  return (
    <Note kind={failed ? "error" : "info"} title={title} {...(failed && { role: "alert" })}>
      {children}
    </Note>
  );
}
