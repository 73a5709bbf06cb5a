import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import { PartPicker } from "@/features/projects/PartPicker";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { projectsQuery } from "@/features/projects/queries";
import { sharedProjectsQuery } from "@/features/projects/sharedProjectsQuery";
import { Choice } from "@/features/sessions/Choice";
import { Button } from "@/ui/Button";
import { FieldFrame } from "@/ui/form/Field";
import { Link } from "@/ui/router";
import type { Origin } from "./draft";
import { Fact, HostPart } from "./HostPart";
import { useOrigin } from "./useOrigin";
import { workshopFormMessages as messages } from "./WorkshopForm.messages";

interface OriginFieldsProps {
  origin: Origin | undefined;
  error: string | undefined;
  onChange: (origin: Origin | undefined) => void;
}

const kinds = ["entry", "project"] as const;

/** What the workshop runs: an entry or a project, which can be searched. */
export function OriginFields({ origin, error, onChange }: OriginFieldsProps) {
  const [kind, setKind] = useState<Origin["of"]>(origin?.of ?? "entry");
  // Whoever takes the choice back goes on in the search.
  const [moved, setMoved] = useState(false);
  if (origin) {
    return (
      <HostPart title={messages.what}>
        <Chosen
          origin={origin}
          error={error}
          onReset={() => {
            setKind(origin.of);
            setMoved(true);
            onChange(undefined);
          }}
        />
      </HostPart>
    );
  }
  return (
    <HostPart title={messages.what}>
      <Choice
        legend={messages.kind}
        options={kinds.map((name) => ({ name, label: messages.kinds[name] }))}
        chosen={kind}
        onChoose={(name) => setKind(name === "project" ? "project" : "entry")}
      />
      {kind === "entry" ? (
        <PartPicker
          type="REPOSITORY"
          label={messages.search}
          help={messages.searchHelp}
          error={error}
          focused={moved}
          onPick={({ id }) => onChange({ of: "entry", id })}
        />
      ) : (
        <ProjectField error={error} onPick={(id) => onChange({ of: "project", id })} />
      )}
    </HostPart>
  );
}

function Chosen({ origin, error, onReset }: { origin: Origin; error: string | undefined; onReset: () => void }) {
  const { found, error: failure } = useOrigin(origin);
  return (
    <>
      <dl className={projectStyles.list} aria-label={messages.chosen}>
        <Fact name={messages.chosen}>
          {found && (
            <Link to={found.page}>
              <bdi>{found.name}</bdi>
            </Link>
          )}
          {!found && failure && messages.originFailed(messageOf(failure))}
        </Fact>
      </dl>
      {error && <p role="alert">{error}</p>}
      <div>
        <Button size="small" onClick={onReset}>
          {messages.other}
        </Button>
      </div>
    </>
  );
}

function ProjectField({ error, onPick }: { error: string | undefined; onPick: (id: string) => void }) {
  const { data: own = [] } = useQuery(projectsQuery);
  const { data: others = [] } = useQuery(sharedProjectsQuery);
  const projects = [...own, ...others].filter(({ role }) => role !== undefined);
  return (
    <FieldFrame label={messages.project} help={projects.length === 0 && messages.noProjects} error={error}>
      {(control) => (
        <select {...control} value="" onChange={(event) => event.target.value !== "" && onPick(event.target.value)}>
          <option value="">{messages.chooseProject}</option>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}
