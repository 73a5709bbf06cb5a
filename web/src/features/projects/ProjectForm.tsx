import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hasCode } from "@/api/problem";
import type { Project, Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { Button, LinkButton } from "@/ui/Button";
import { Choice, Field } from "@/ui/form/Field";
import { Form } from "@/ui/form/Form";
import { RemovableChip } from "@/ui/list/RemovableChip";
import { toast } from "@/ui/toast";
import { type DraftFault, draftFaults, type ProjectDraft, rebased, refusal, toggledPart } from "./draft";
import { PartPicker } from "./PartPicker";
import { projectFormMessages as messages } from "./ProjectForm.messages";
import styles from "./ProjectForm.module.css";
import { projectPath } from "./projectPath";
import { projectQuery } from "./queries";
import { SelectedPart } from "./SelectedPart";
import { saveMessages } from "./save.messages";
import { useSaveProject } from "./useSaveProject";

interface ProjectFormProps {
  initial: ProjectDraft;
  /** The project to change, whose repository stays; a new one without it. */
  project?: Project;
  /** Only its owner decides whether it's published. */
  own?: boolean;
  /** The repository was taken back. */
  onReset?: () => void;
}

/** The form of a project. If saving it fails, the input is kept. */
export function ProjectForm({ initial, project: opened, own = true, onReset }: ProjectFormProps) {
  const { user } = useAuth();
  const [draft, setDraft] = useState(initial);
  const [project, setProject] = useState(opened);
  const [faults, setFaults] = useState<DraftFault[]>([]);
  const queries = useQueryClient();
  const { mutate, isPending, error } = useSaveProject(user?.email ?? "", project);
  // The focused element is gone when the state of the repository changes.
  const [moved, setMoved] = useState(false);
  const [failures, setFailures] = useState(0);
  const faultOf = (field: DraftFault["field"]) => faults.find((each) => each.field === field)?.message;
  const change = (part: Partial<ProjectDraft>) => {
    setDraft((former) => ({ ...former, ...part }));
    setFaults((former) => former.filter(({ field }) => !(field in part)));
  };
  const pickDataset = (part: Resource) => setDraft((now) => ({ ...now, datasets: toggledPart(now.datasets, part) }));

  const catchUp = async () => {
    if (!project) return;
    const now = await queries.fetchQuery({ ...projectQuery(project.id), staleTime: 0 });
    setDraft((mine) => rebased(mine, project, now));
    setProject(now);
  };

  const submit = () => {
    if (isPending) return;
    const found = draftFaults(draft, user?.email ?? "", project);
    setFaults(found);
    if (found.length === 0) {
      mutate(draft, {
        onError: (failure) => hasCode(failure, "project_changed") && void catchUp().catch(() => undefined),
      });
      return;
    }
    toast.error(
      project ? saveMessages.cannotSave : saveMessages.cannotCreate,
      found.map(({ message }) => message).join(" "),
    );
    setFailures(failures + 1);
  };

  return (
    <Form
      onSubmit={submit}
      failures={failures}
      error={hasCode(error, "project_changed") ? messages.changed : error ? refusal(error, draft) : undefined}
      actions={
        <>
          <Button type="submit" variant="primary" busy={isPending}>
            {project ? messages.save : messages.create}
          </Button>
          <LinkButton to={project ? projectPath(project) : "/add"}>{messages.cancel}</LinkButton>
        </>
      }
    >
      <Field
        label={messages.name}
        help={project ? messages.nameHelpShared : messages.nameHelp}
        error={faultOf("name")}
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <section className={styles.part} aria-labelledby="repository">
        <h2 id="repository">{messages.repository}</h2>
        {draft.repository ? (
          <SelectedPart
            part={draft.repository}
            focused={moved}
            {...(!project && {
              onReset: () => {
                setMoved(true);
                change({ repository: undefined });
                onReset?.();
              },
            })}
          />
        ) : (
          <PartPicker
            type="REPOSITORY"
            label={messages.searchRepositories}
            help={messages.repositoryHelp}
            error={faultOf("repository")}
            focused={moved}
            onPick={(repository) => {
              setMoved(true);
              change({ repository });
            }}
          />
        )}
      </section>
      <section className={styles.part} aria-labelledby="datasets">
        <h2 id="datasets">{messages.datasets}</h2>
        {draft.datasets.length > 0 && (
          <ul className={styles.chips} aria-label={messages.chosen}>
            {draft.datasets.map((dataset) => (
              <li key={dataset.id}>
                <RemovableChip
                  text={dataset.name}
                  label={messages.remove(dataset.name)}
                  onRemove={() => pickDataset(dataset)}
                />
              </li>
            ))}
          </ul>
        )}
        <PartPicker
          type="DATASET"
          label={messages.searchDatasets}
          help={messages.datasetsHelp}
          chosen={draft.datasets.map(({ id }) => id)}
          onPick={pickDataset}
        />
      </section>
      <Choice
        type="checkbox"
        label={messages.published}
        help={own ? messages.publishedHelp : messages.ownerPublishes(project?.ownerId)}
        disabled={!own}
        error={faultOf("published")}
        checked={draft.published}
        onChange={(event) => change({ published: event.target.checked })}
      />
    </Form>
  );
}
