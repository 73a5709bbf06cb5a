import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Session } from "@/api/types";
import { SessionLife } from "./SessionLife";

/** What the card of a session with this status says. */
function said(status: Session["status"]): string {
  const session = { id: "1", sessionName: "Waves", status, createdAt: "2026-01-01T00:00:00Z" } as Session;
  const life = createElement(SessionLife, { session, pending: undefined, now: 0, onCancel: () => {} });
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, life));
}

test("sessions that Open starts again say so, and no others", () => {
  const again = "Open starts it again with your files.";
  for (const status of ["FINISHED", "ERROR"] as const) expect(said(status)).toContain(again);
  for (const status of ["CREATED", "RUNNING", "TERMINATED"] as const) expect(said(status)).not.toContain(again);
});
