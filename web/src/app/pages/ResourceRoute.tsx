import { lazy, Suspense } from "react";
import { ResourcePage } from "@/features/entry/ResourcePage";
import { useAuth } from "@/features/identity/useAuth";
import { RunButton } from "@/features/sessions/RunButton";

const EntryActions = lazy(async () => ({ default: (await import("./EntryActions")).EntryActions }));
const EntryMore = lazy(async () => ({ default: (await import("./EntryMore")).EntryMore }));
const PublishEntry = lazy(async () => ({
  default: (await import("@/features/contribute/PublishEntry")).PublishEntry,
}));
const FileBrowser = lazy(async () => ({ default: (await import("@/features/entry/files/FileBrowser")).FileBrowser }));
const NotInstalled = lazy(async () => ({ default: (await import("@/features/sessions/NotInstalled")).NotInstalled }));

/** The page of a resource, with its versions, the projects that use it and the sessions they start. */
export function ResourceRoute() {
  const { state } = useAuth();
  return (
    <ResourcePage
      more={(resource) => (
        <Suspense>
          <EntryMore resource={resource} />
        </Suspense>
      )}
      run={({ id, name, type, runnable, runNote, runCode, lastRun, entryVersion: version }) =>
        // Models run on the workflow platform.
        type !== "MODEL" &&
        runnable !== undefined &&
        (runCode === "language_missing" ? (
          runNote
        ) : (
          <RunButton
            target={{
              id,
              name,
              of: "entry",
              options: version && version.number < version.latest ? { version: version.number } : {},
              failed: lastRun?.verdict === "FAILED" ? lastRun.reason : undefined,
              took: lastRun,
            }}
            note={runnable ? undefined : runNote}
            choosable={runCode === "no_profile_fits"}
          />
        ))
      }
      notInstalled={({ id, type, runnable }) =>
        runnable &&
        (type === "REPOSITORY" || type === "NOTEBOOK") && (
          <Suspense>
            <NotInstalled entry={id} />
          </Suspense>
        )
      }
      sync={(resource) =>
        state === "authenticated" && (
          <Suspense>
            <EntryActions resource={resource} />
          </Suspense>
        )
      }
      publish={(resource) => (
        <Suspense>
          <PublishEntry resource={resource} />
        </Suspense>
      )}
      files={(resource) => (
        <Suspense>
          <FileBrowser key={resource.id} resource={resource} />
        </Suspense>
      )}
    />
  );
}
