import { useState } from "react";
import type { Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { Button, LinkButton } from "@/ui/Button";
import { Choice, Field } from "@/ui/Field";
import { Form } from "@/ui/Form";
import { RemovableChip } from "@/ui/RemovableChip";
import { toast } from "@/ui/toast";
import { type DraftFault, draftFaults, type ProjectDraft, refusal, toggledPart } from "./draft";
import { PartPicker } from "./PartPicker";
import styles from "./ProjectForm.module.css";
import { SelectedPart } from "./SelectedPart";
import { useCreateProject } from "./useCreateProject";

interface ProjectFormProps {
  initial: ProjectDraft;
  /** The repository was taken back. */
  onReset: () => void;
}

/** Asks for the parts of a project and makes it. What was typed stays when that fails. */
export function ProjectForm({ initial, onReset }: ProjectFormProps) {
  const { user } = useAuth();
  const [draft, setDraft] = useState(initial);
  const [faults, setFaults] = useState<DraftFault[]>([]);
  const { mutate, isPending, error } = useCreateProject(user?.email ?? "");
  // What the focus was on is gone when the one state of the repository gives way to the other.
  const [moved, setMoved] = useState(false);
  const [failures, setFailures] = useState(0);
  const faultOf = (field: DraftFault["field"]) => faults.find((each) => each.field === field)?.message;
  const change = (part: Partial<ProjectDraft>) => {
    setDraft((former) => ({ ...former, ...part }));
    setFaults((former) => former.filter(({ field }) => !(field in part)));
  };
  const pickDataset = (part: Resource) => setDraft((now) => ({ ...now, datasets: toggledPart(now.datasets, part) }));

  const submit = () => {
    if (isPending) return;
    const found = draftFaults(draft, user?.email ?? "");
    setFaults(found);
    if (found.length === 0) {
      mutate(draft);
      return;
    }
    toast.error("Error creating project", found.map(({ message }) => message).join(" "));
    setFailures(failures + 1);
  };

  return (
    <Form
      onSubmit={submit}
      failures={failures}
      error={error ? refusal(error, draft) : undefined}
      actions={
        <>
          <Button type="submit" variant="primary" busy={isPending}>
            Create project
          </Button>
          <LinkButton to="/add">Cancel</LinkButton>
        </>
      }
    >
      <Field
        label="Project name"
        help="Names of projects are private: only you see them, unless you publish the project."
        error={faultOf("name")}
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <section className={styles.part} aria-labelledby="repository">
        <h2 id="repository">Repository</h2>
        {draft.repository ? (
          <SelectedPart
            part={draft.repository}
            focused={moved}
            onReset={() => {
              setMoved(true);
              change({ repository: undefined });
              onReset();
            }}
          />
        ) : (
          <PartPicker
            type="REPOSITORY"
            label="Search repositories"
            nouns={["repository", "repositories"]}
            help="A project has exactly one: its code is what a session opens."
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
        <h2 id="datasets">Datasets</h2>
        {draft.datasets.length > 0 && (
          <ul className={styles.chips} aria-label="Chosen datasets">
            {draft.datasets.map((dataset) => (
              <li key={dataset.id}>
                <RemovableChip
                  text={dataset.name}
                  label={`Remove the dataset ${dataset.name}`}
                  onRemove={() => pickDataset(dataset)}
                />
              </li>
            ))}
          </ul>
        )}
        <PartPicker
          type="DATASET"
          label="Search datasets"
          nouns={["dataset", "datasets"]}
          help="As many as it needs, or none. In a session they lie beside the code, to be read only."
          chosen={draft.datasets.map(({ id }) => id)}
          onPick={pickDataset}
        />
      </section>
      <Choice
        type="checkbox"
        label="Published"
        help="Everybody sees this project and its name at its repository and datasets, and may start sessions of their own from it. All its parts must be public."
        error={faultOf("published")}
        checked={draft.published}
        onChange={(event) => change({ published: event.target.checked })}
      />
    </Form>
  );
}
