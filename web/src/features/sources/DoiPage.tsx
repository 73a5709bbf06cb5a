import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { messageOf, Problem } from "@/api/problem";
import type { ArchivedRecord } from "@/api/types";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { EntryForm } from "@/features/contribute/EntryForm";
import type { UploadTask } from "@/features/uploads/shapes";
import { TaskProgress } from "@/features/uploads/TaskProgress";
import { UploadStyles } from "@/features/uploads/UploadStyles";
import { BackLink } from "@/ui/BackLink";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Choice, Field } from "@/ui/form/Field";
import { FormGroup } from "@/ui/form/Form";
import { Page } from "@/ui/Page";
import { ProgressLine } from "@/ui/ProgressLine";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { doiPageMessages as messages } from "./DoiPage.messages";
import { DoiRecord } from "./DoiRecord";
import sheet from "./doi.css?url";
import { addByDoi, findDoi, type SourceType } from "./doiCalls";
import { doiDraft, likelyType } from "./doiDraft";

/** /add/doi: what an archive has becomes a dataset or a repository. */
export function DoiPage() {
  const [text, setText] = useState("");
  const [cancelled, setCancelled] = useState(false);
  const asking = useRef<AbortController>(undefined);
  const heading = useRef<HTMLHeadingElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const lookup = useMutation({
    mutationFn: () => {
      asking.current = new AbortController();
      return findDoi(text.trim(), asking.current.signal);
    },
    onMutate: () => setCancelled(false),
  });
  const { data: record, error, isPending } = lookup;
  const fault = faultOf(error);
  useEffect(() => {
    if (record) heading.current?.focus();
  }, [record]);
  useEffect(() => {
    if (fault !== undefined || cancelled) field.current?.focus();
  }, [fault, cancelled]);
  const empty = text.trim() === "";
  const cancel = () => {
    asking.current?.abort();
    lookup.reset();
    setCancelled(true);
  };

  return (
    <Page width="narrow" above={<BackLink to="/add" />} subtitle={messages.subtitle}>
      <link rel="stylesheet" href={sheet} precedence="doi" />
      <div className="doi-steps">
        <form
          className="doi-part"
          onSubmit={(event) => {
            event.preventDefault();
            if (!empty && !isPending) lookup.mutate();
          }}
        >
          {/* An error is announced when it appears, because the focus may already be in the field. */}
          <div aria-live="assertive">
            <Field
              ref={field}
              label={messages.field}
              help={messages.help}
              error={fault}
              placeholder={messages.hint}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setCancelled(false);
                if (!isPending) lookup.reset();
              }}
              readOnly={isPending}
              autoCapitalize="off"
              spellCheck={false}
            />
          </div>
          <div className="doi-actions">
            {isPending && <Button onClick={cancel}>{messages.cancel}</Button>}
            <Button type="submit" variant={record ? "secondary" : "primary"} disabled={empty} busy={isPending}>
              {isPending ? messages.lookingUp : messages.lookUp}
            </Button>
          </div>
          <div>
            {isPending && <ProgressLine />}
            <p role="status" className="doi-quiet">
              {isPending ? messages.asking : cancelled ? messages.cancelled : ""}
            </p>
          </div>
        </form>
        {error && fault === undefined && (
          <ErrorState title={messages.failed} message={messageOf(error)} onRetry={() => lookup.mutate()} />
        )}
        {record && <DoiRecord heading={heading} record={record} asked={text.trim()} />}
        {record && (!record.entry || likelyType(record) === "REPOSITORY") && <About key={record.doi} record={record} />}
      </div>
    </Page>
  );
}

/** What is wrong with the DOI itself; undefined for what another try may mend. */
function faultOf(error: unknown): string | undefined {
  const final = error instanceof Problem && [403, 404, 413, 422].includes(error.status);
  return final ? messageOf(error) : undefined;
}

const types: SourceType[] = ["DATASET", "REPOSITORY"];

/** What the files become, and the form. */
function About({ record }: { record: ArchivedRecord }) {
  // Data that the catalog has isn't added again.
  const offered = types.filter((each) => each !== "DATASET" || !record.entry);
  const [type, setType] = useState<SourceType>(record.entry ? "REPOSITORY" : likelyType(record));
  const [task, setTask] = useState<UploadTask>();
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = async (fields: object) => {
    const { result, task } = await addByDoi(record.doi, type, fields);
    setTask(task);
    return result;
  };
  const finish = ({ resourceId }: UploadTask) => {
    void client.invalidateQueries();
    toast.success(messages.added, messages.addedText);
    navigate(resourcePath({ id: resourceId, type: "REPOSITORY" }), { replace: true });
  };
  return (
    <>
      {task && (
        <section aria-label={messages.fetching}>
          <UploadStyles />
          <TaskProgress task={task} words={messages.task} onDone={finish} onBack={() => setTask(undefined)} />
        </section>
      )}
      {/* What was typed stays while the server works. */}
      <section className="doi-part" aria-labelledby="doi-about" hidden={task !== undefined}>
        <h2 id="doi-about">{messages.about}</h2>
        <FormGroup title={messages.becomes}>
          {offered.map((each) => (
            <Choice
              key={each}
              type="radio"
              name="doi-type"
              label={kindOf(each).label}
              help={messages.kinds[each]}
              checked={each === type}
              onChange={() => setType(each)}
            />
          ))}
        </FormGroup>
        <EntryForm type={type} uploaded={{ draft: doiDraft(record), create }} />
      </section>
    </>
  );
}
