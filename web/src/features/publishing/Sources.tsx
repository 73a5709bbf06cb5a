import { Fragment } from "react";
import { resourcePath } from "@/features/catalog/kinds";
import { Filled } from "@/ui/Filled";
import { Note } from "@/ui/Note";
import { Link } from "@/ui/router";
import { publishPageMessages as messages } from "./PublishPage.messages";
import type { Origin } from "./shapes";

/** Says which entries of others a new one is derived from; nothing if there are none. */
export function Sources({ sources }: { sources: readonly Origin[] }) {
  if (sources.length === 0) return null;
  const entries = sources.map((source, at) => (
    <Fragment key={source.id}>
      {at > 0 && ", "}
      <Link to={resourcePath(source)}>
        <bdi>{source.name}</bdi>
      </Link>
    </Fragment>
  ));
  return (
    <Note kind="info" title={messages.derived}>
      <p>
        <Filled text={messages.derivedFrom} values={{ entries }} />
      </p>
    </Note>
  );
}
