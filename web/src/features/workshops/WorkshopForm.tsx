import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { fieldFaults, messageOf } from "@/api/problem";
import runStyles from "@/features/entry/runs/Runs.module.css";
import { Button, LinkButton } from "@/ui/Button";
import { Choice, Field } from "@/ui/form/Field";
import { Form } from "@/ui/form/Form";
import rows from "@/ui/ListRow.module.css";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { changesOf, draftOf, type Fault, mostSeats, type Values, valuesOf, withoutEmpty } from "./draft";
import { HostPart } from "./HostPart";
import { OriginFields } from "./OriginFields";
import { workshopPath } from "./paths";
import { changeWorkshop, createWorkshop, workshopsKey } from "./queries";
import { RoomFields } from "./RoomFields";
import type { SizeName } from "./room";
import type { Workshop, WorkshopDraft } from "./types";
import { useOrigin } from "./useOrigin";
import { WhenFields } from "./WhenFields";
import { workshopFormMessages as messages } from "./WorkshopForm.messages";

interface WorkshopFormProps {
  initial: Values;
  /** The one to change; a new one without it. */
  workshop?: Workshop;
}

/** What a field that the form refuses is called in the request, and why it's refused. */
const refusals: Record<Fault, [field: string, why: string]> = {
  name: ["name", messages.wrongName],
  origin: ["entry", messages.noOrigin],
  seats: ["seats", messages.wrongSeats],
  date: ["date", messages.wrongDate],
  startsAt: ["startsAt", messages.wrongFrom],
  endsAt: ["endsAt", messages.wrongTo],
  past: ["endsAt", messages.past],
  timezone: ["timezone", messages.wrongFrom],
};

/** The fields of the request at which the form shows what is wrong. */
const shown = /^(name|entry|project|seats|startsAt|endsAt|timezone|engine|profile|hosts.*|file|ref)$/;

/** The form of a workshop. */
export function WorkshopForm({ initial, workshop }: WorkshopFormProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [values, setValues] = useState(initial);
  const [named, setNamed] = useState(initial.name !== "");
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({});
  const [failures, setFailures] = useState(0);
  const { found } = useOrigin(values.origin);
  // Until somebody writes another one, it's called like what it runs.
  const name = named ? values.name : (found?.name ?? "");
  const change = (part: Partial<Values>) => {
    setValues((before) => ({ ...before, ...part }));
    setFaults({});
  };
  const setSize = useCallback((size: SizeName) => setValues((before) => ({ ...before, size })), []);

  const save = useMutation({
    mutationFn: (draft: WorkshopDraft) => {
      if (!workshop) return createWorkshop(withoutEmpty(draft));
      const before = draftOf(valuesOf(workshop), 0);
      return changeWorkshop(workshop.id, "draft" in before ? changesOf(before.draft, draft) : draft);
    },
    onSuccess: async ({ id }) => {
      toast.success(workshop ? messages.saved : messages.prepared);
      await queries.invalidateQueries({ queryKey: workshopsKey });
      navigate(workshopPath(id), { replace: workshop !== undefined });
    },
    onError: (error) => {
      setFaults(fieldFaults(error));
      setFailures((count) => count + 1);
    },
  });

  const submit = () => {
    if (save.isPending) return;
    const made = draftOf({ ...values, name }, Date.now());
    if ("draft" in made) {
      setFaults({});
      save.mutate(made.draft);
      return;
    }
    save.reset();
    setFaults(Object.fromEntries(made.faults.map((fault) => refusals[fault])));
    setFailures(failures + 1);
  };

  const of = (...fields: string[]) => fields.map((field) => faults[field]).find(Boolean);
  const ofHosts = Object.entries(faults).find(([field]) => field.startsWith("hosts"))?.[1];
  return (
    <Form
      onSubmit={submit}
      failures={failures}
      error={save.error ? refusal(save.error) : undefined}
      actions={
        <>
          <Button type="submit" variant="primary" busy={save.isPending}>
            {workshop ? messages.save : messages.prepare}
          </Button>
          <LinkButton to={workshop ? workshopPath(workshop.id) : "/workshops"}>{messages.cancel}</LinkButton>
        </>
      }
    >
      <OriginFields
        origin={values.origin}
        error={of("entry", "project")}
        onChange={(origin) => change({ origin, file: "", ref: "" })}
      />
      <Field
        label={messages.name}
        help={messages.nameHelp}
        error={of("name")}
        value={name}
        onChange={(event) => {
          setNamed(true);
          change({ name: event.target.value });
        }}
      />
      <Field
        type="number"
        inputMode="numeric"
        min={1}
        max={mostSeats}
        label={messages.seats}
        help={messages.seatsHelp}
        error={of("seats")}
        value={values.seats}
        onChange={(event) => change({ seats: event.target.value })}
      />
      <WhenFields values={values} faults={faults} onChange={change} />
      <RoomFields values={values} except={workshop?.id} error={of("engine", "profile")} onSize={setSize} />
      <HostPart title={messages.who}>
        <Choice
          type="checkbox"
          label={messages.guests}
          help={messages.guestsHelp}
          checked={values.guests}
          onChange={(event) => change({ guests: event.target.checked })}
        />
        <Choice
          type="checkbox"
          label={messages.internet}
          help={messages.internetHelp}
          error={of("network")}
          checked={values.internet}
          onChange={(event) => change({ internet: event.target.checked })}
        />
        <Field
          label={messages.hosts}
          help={messages.hostsHelp}
          error={ofHosts}
          inputMode="email"
          spellCheck={false}
          value={values.hosts}
          onChange={(event) => change({ hosts: event.target.value })}
        />
      </HostPart>
      <details className={runStyles.log} open={initial.file !== "" || initial.ref !== ""}>
        <summary>{messages.more}</summary>
        <p className={rows.note}>{messages.moreNote}</p>
        <Field
          label={messages.file}
          help={messages.fileHelp}
          error={of("file")}
          value={values.file}
          spellCheck={false}
          onChange={(event) => change({ file: event.target.value })}
        />
        <Field
          label={messages.ref}
          help={messages.refHelp}
          error={of("ref")}
          value={values.ref}
          spellCheck={false}
          onChange={(event) => change({ ref: event.target.value })}
        />
      </details>
    </Form>
  );
}

/** Why it was refused; what is said at fields isn't repeated. */
function refusal(error: Error): string {
  const fields = Object.keys(fieldFaults(error));
  return fields.length > 0 && fields.every((field) => shown.test(field))
    ? messages.correct
    : `${messages.refused} ${messageOf(error)}`;
}
