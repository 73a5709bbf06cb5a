import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useConfig } from "@/api/config";
import { fieldFaults, messageOf } from "@/api/problem";
import type { JobWish, Parameter } from "@/api/types";
import { useAccount } from "@/features/identity/useAccount";
import { jobsKey } from "@/features/sessions/jobs";
import { notEnabledMessages } from "@/features/sessions/notEnabled.messages";
import { longestName } from "@/features/sessions/sessionName";
import { startBlock } from "@/features/sessions/startBlock";
import { Button, LinkButton } from "@/ui/Button";
import { Field, FieldFrame } from "@/ui/form/Field";
import { Form } from "@/ui/form/Form";
import { Note } from "@/ui/Note";
import { useLocation, useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { jobFormMessages as messages } from "./JobForm.messages";
import { ParameterFields } from "./ParameterFields";
import { type Changes, changesFrom, chosenValues } from "./parameters";
import { parametersOf, startJob } from "./queries";
import { SizeFields } from "./SizeFields";
import { SourceFields } from "./SourceFields";
import { type Source, wishOf } from "./source";
import { firstTimes, isTime, type Times, timesOf, timesWords, timeZone } from "./times";
import { timesMessages } from "./times.messages";
import { useSizes } from "./useSizes";
import type { Origin } from "./useSource";
import { WhenFields } from "./WhenFields";

/** What the form holds at first, in the history's state: that of a job which is run again. */
export interface JobFormState {
  parameters?: Record<string, unknown>;
  name?: string;
}

interface JobFormProps {
  source: Source;
  origin: Origin;
}

/** With which values a notebook is run, where and when. */
export function JobForm({ source, origin }: JobFormProps) {
  const given = (useLocation().state as JobFormState | null) ?? {};
  const navigate = useNavigate();
  const queries = useQueryClient();
  const blocked = useBlocked(origin);
  const declared = useQuery(parametersOf(source, origin.entry?.id ?? ""));
  const parameters = declared.data?.parameters ?? [];
  const [typed, setTyped] = useState<Changes>();
  const changes = typed ?? changesFrom(parameters, given.parameters ?? {});
  const [name, setName] = useState(given.name ?? "");
  const [times, setTimes] = useState<Times>(() => firstTimes(new Date()));
  const [deadline, setDeadline] = useState("");
  const sizes = useSizes(origin);
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({});
  const [failures, setFailures] = useState(0);
  const keyFor = useKey();

  const start = useMutation({
    mutationFn: (wish: JobWish) => startJob(wish, keyFor(wish)),
    onSuccess: (made) => {
      void queries.invalidateQueries({ queryKey: jobsKey });
      if ("every" in made) {
        toast.success(messages.scheduled, timesWords(made));
        navigate("/jobs");
      } else navigate(`/jobs/${made.id}`);
    },
    onError: (error) => {
      setFaults(fieldFaults(error));
      setFailures((count) => count + 1);
    },
  });

  const submit = () => {
    if (start.isPending || blocked || declared.isPending) return;
    const chosen = chosenValues(parameters, changes);
    const found: Record<string, string> = {
      ...Object.fromEntries(Object.entries(chosen.faults).map(([one, fault]) => [`parameters.${one}`, fault])),
      ...([...name.trim()].length > longestName && { name: messages.nameTooLong(longestName) }),
      ...(times.every !== "now" && !isTime(times.at) && { "schedule.at": timesMessages.wrongTime }),
    };
    setFaults(found);
    if (Object.keys(found).length > 0) {
      start.reset();
      setFailures(failures + 1);
      return;
    }
    const schedule = timesOf(times, timeZone());
    start.mutate({
      ...wishOf(source),
      ...sizes.wish,
      ...(name.trim() !== "" && { name: name.trim() }),
      ...(Object.keys(chosen.values).length > 0 && { parameters: chosen.values }),
      ...(deadline !== "" && { deadline }),
      ...(schedule && { schedule }),
    });
  };
  const accept = (field: string) => setFaults(({ [field]: _, ...others }) => others);

  return (
    <Form
      onSubmit={submit}
      failures={failures}
      error={start.error ? refusal(start.error, parameters) : undefined}
      actions={
        <>
          <Button
            type="submit"
            variant="primary"
            unavailable={blocked?.reason}
            busy={start.isPending || declared.isPending}
          >
            {times.every === "now" ? messages.run : messages.schedule}
          </Button>
          <LinkButton to={origin.page}>{messages.cancel}</LinkButton>
        </>
      }
    >
      {blocked && (
        <Note kind="info" role="status">
          <p>{blocked.reason}</p>
          {blocked.ask && "advice" in blocked.ask && <p>{blocked.ask.advice}</p>}
          {blocked.ask && "href" in blocked.ask && (
            <div>
              <LinkButton to={blocked.ask.href} newTab>
                {notEnabledMessages.ask}
              </LinkButton>
            </div>
          )}
        </Note>
      )}
      <SourceFields source={source} origin={origin} error={faults.file ?? faults["fromSession.path"]} />
      <ParameterFields
        declared={declared}
        changes={changes}
        faults={faults}
        onChange={(parameter, value) => {
          setTyped({ ...changes, [parameter]: value });
          accept(`parameters.${parameter}`);
        }}
        onReset={(parameter) => {
          const { [parameter]: _, ...others } = changes;
          setTyped(others);
          accept(`parameters.${parameter}`);
        }}
        onFault={(parameter, fault) => setFaults((all) => ({ ...all, [`parameters.${parameter}`]: fault }))}
      />
      <WhenFields
        times={times}
        faults={faults}
        onChange={(part) => {
          setTimes({ ...times, ...part });
          setFaults(({ "schedule.at": _, "schedule.on": __, "schedule.timezone": ___, ...others }) => others);
        }}
      />
      <SizeFields sizes={sizes} error={faults.profile ?? faults.engine} />
      <FieldFrame label={timesMessages.deadline} help={timesMessages.deadlineHelp} error={faults.deadline}>
        {(control) => (
          <select
            {...control}
            value={deadline}
            onChange={(event) => {
              setDeadline(event.target.value);
              accept("deadline");
            }}
          >
            {Object.entries(timesMessages.deadlines).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        )}
      </FieldFrame>
      <Field
        label={messages.name}
        help={messages.nameHelp}
        error={faults.name}
        value={name}
        onChange={(event) => {
          setName(event.target.value);
          accept("name");
        }}
      />
    </Form>
  );
}

/** Why a start was refused; what is said at fields isn't repeated. */
function refusal(error: Error, parameters: readonly Parameter[]): string {
  const fields = Object.keys(fieldFaults(error));
  const shown = (field: string) =>
    shownFields.test(field) || parameters.some(({ name }) => field === `parameters.${name}`);
  return fields.length > 0 && fields.every(shown) ? messages.correct : `${messages.refused} ${messageOf(error)}`;
}

const shownFields = /^(name|file|fromSession\.path|deadline|profile|engine|schedule\..*)$/;

/** Why nothing can be run, as far as that is known. Jobs wait for a place, so the number of sessions is no reason. */
function useBlocked({ note }: Origin) {
  const { accounts, sessions } = useConfig();
  const { data: account } = useAccount();
  if (note !== undefined) return { reason: note, ask: undefined };
  const { contact } = accounts;
  return startBlock({ account, contact, kinds: sessions.kinds, sessions: [], limit: Number.POSITIVE_INFINITY });
}

/** Returns the key of a request: of the same one it stays the same, so that trying again starts no second job. */
function useKey() {
  const last = useRef({ body: "", key: "" });
  return (wish: JobWish): string => {
    const body = JSON.stringify(wish);
    if (body !== last.current.body) last.current = { body, key: crypto.randomUUID() };
    return last.current.key;
  };
}
