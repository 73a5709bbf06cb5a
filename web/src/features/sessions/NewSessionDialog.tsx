import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useConfig } from "@/api/config";
import type { Interface } from "@/api/types";
import { useAccount } from "@/features/identity/useAccount";
import { useAuth } from "@/features/identity/useAuth";
import { Button, LinkButton } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Filled } from "@/ui/Filled";
import { Field, FieldFrame } from "@/ui/form/Field";
import type { RunTarget } from "@/ui/run";
import { toast } from "@/ui/toast";
import { Choice } from "./Choice";
import { forecastQuery, forecastText, tookText } from "./forecast";
import styles from "./NewSessionDialog.module.css";
import { newSessionMessages as messages } from "./newSession.messages";
import { notEnabled } from "./notEnabled";
import { ownRunMessages } from "./OwnRun.messages";
import { openInNewTab } from "./openInNewTab";
import { wishOf } from "./openRequest";
import { sessionsQuery } from "./queries";
import { defaultSessionName, longestName } from "./sessionName";
import { sizeReason, sizesQuery, sizeText } from "./sizes";
import { sizesMessages } from "./sizes.messages";

const interfaces: readonly Interface[] = ["jupyter", "vscode"];

export interface StartableProject {
  id: string;
  name: string;
}

interface NewSessionDialogProps {
  /** Those to choose from, the default first. */
  projects: readonly StartableProject[];
  /** In which it opens, unless somebody chooses otherwise; without it, Jupyter. */
  inside?: Interface;
  /** An entry or project that is run in its stead, with the file and branch that were asked for. */
  run?: RunTarget;
  onClose: () => void;
}

/** Asks for the name of a new session of a project, and in which it opens, and starts it in a new tab. */
export function NewSessionDialog(props: NewSessionDialogProps) {
  const [first] = props.projects;
  if (first) return <Asking {...props} first={first} />;
  return (
    <Dialog
      title={messages.title}
      onClose={props.onClose}
      footer={<Button onClick={props.onClose}>{messages.cancel}</Button>}
    >
      <p>{messages.noProject}</p>
      <LinkButton to="/add/project" variant="primary">
        {messages.addProject}
      </LinkButton>
    </Dialog>
  );
}

function Asking({ projects, first, inside, run, onClose }: NewSessionDialogProps & { first: StartableProject }) {
  const {
    accounts,
    sessions: { kinds },
  } = useConfig();
  const waits = notEnabled(useAccount().data, accounts.contact);
  const { state } = useAuth();
  const [opensIn, setOpensIn] = useState<Interface>(inside ?? run?.options?.interface ?? "jupyter");
  const usable = kinds.filter(({ available, interfaces }) => available && interfaces.includes(opensIn));
  const [projectId, setProjectId] = useState(first.id);
  const project = projects.find(({ id }) => id === projectId) ?? first;
  const [picked, setPicked] = useState("");
  const [wanted, setWanted] = useState("");
  const { data: all } = useQuery({
    ...sizesQuery(run ?? { id: project.id, of: "project" }),
    enabled: state === "authenticated",
  });
  const fitting = usable.find(({ name }) => all?.some((one) => one.engine === name && one.fits));
  const engine = usable.find(({ name }) => name === picked)?.name ?? (fitting ?? usable[0] ?? kinds[0])?.name ?? "";
  const { data: forecast } = useQuery({ ...forecastQuery(engine), enabled: state === "authenticated" });
  const offered = all?.find((one) => one.engine === engine);
  const sizes = offered?.profiles ?? [];
  const size = sizes.find(({ name }) => name === wanted) ?? sizes.find(({ name }) => name === offered?.chosen);
  const reason = sizeReason(offered, size);
  const unsized = offered?.needs !== undefined && !offered.fits && !size;
  const usual = forecast && forecastText(forecast);
  const queries = useQueryClient();
  const form = useId();
  const [now] = useState(() => new Date());
  const [typed, setName] = useState(run?.options?.name);
  const taken = queries.getQueryData(sessionsQuery.queryKey)?.map(({ sessionName }) => sessionName) ?? [];
  const name = typed ?? defaultSessionName(project.name, now, taken);
  const trimmed = name.trim();
  const unavailable = usable.length === 0 ? kinds[0]?.reason || messages.cannotStart : undefined;
  const tooLong = [...trimmed].length > longestName;

  const create = () => {
    if (trimmed === "") {
      toast.error(messages.nameRequired);
    } else if (!tooLong && !unsized && unavailable === undefined) {
      const where = { engine, ...(size && { profile: size.name }) };
      const inEditor = opensIn === "vscode";
      const wish =
        run || inEditor
          ? {
              ...(run ? wishOf(run) : { projectId: project.id }),
              name: trimmed,
              ...where,
              ...(inEditor && { interface: opensIn }),
            }
          : undefined;
      void openInNewTab(
        wish
          ? { do: "run", wish, title: trimmed }
          : { do: "start", projectId: project.id, sessionName: trimmed, ...where },
        queries,
      );
      onClose();
    }
  };

  return (
    <Dialog
      title={messages.title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{messages.cancel}</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            disabled={trimmed === "" || tooLong || unsized}
            unavailable={unavailable}
          >
            {messages.create}
          </Button>
        </>
      }
    >
      <p className={styles.project}>
        <Filled
          text={run?.of === "entry" ? messages.runsEntry : messages.runsProject}
          values={{ name: <strong>{project.name}</strong> }}
        />{" "}
        {unavailable === undefined && [usual, tookText(run?.took, forecast?.memoryBytes)].filter(Boolean).join(" ")}
      </p>
      {unavailable !== undefined && (
        <p className={styles.unavailable} role="alert">
          {unavailable}
        </p>
      )}
      {run?.failed && (
        <p className={styles.waits} role="status">
          {ownRunMessages.lastFailed(run.failed)}
        </p>
      )}
      {waits !== undefined && (
        <p className={styles.waits} role="status">
          {waits}
        </p>
      )}
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          create();
        }}
      >
        {projects.length > 1 && (
          <FieldFrame label={messages.project}>
            {(control) => (
              <select {...control} value={project.id} onChange={(event) => setProjectId(event.target.value)}>
                {projects.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </FieldFrame>
        )}
        <Field
          label={messages.name}
          help={messages.nameHelp}
          error={tooLong ? messages.nameTooLong(longestName) : undefined}
          value={name}
          onChange={(event) => setName(event.target.value)}
          // The browser submits no form whose button is off, so an empty name would get no answer to Enter.
          onKeyDown={(event) => event.key === "Enter" && trimmed === "" && create()}
          onFocus={(event) => event.target.select()}
        />
        {kinds.some(({ available, interfaces }) => available && interfaces.includes("vscode")) && (
          <Choice
            legend={messages.opensIn}
            options={interfaces.map((one) => ({ name: one, label: messages.interfaces[one] }))}
            chosen={opensIn}
            onChoose={(one) => setOpensIn(one === "vscode" ? "vscode" : "jupyter")}
          />
        )}
        {kinds.length > 1 && (
          <Choice
            legend={messages.engine}
            options={kinds.map((kind) => {
              const unfit = kind.interfaces.includes(opensIn) ? undefined : messages.onlyJupyter;
              const note = kind.available
                ? (all?.find((one) => one.engine === kind.name)?.runNote ?? unfit)
                : kind.reason;
              return { ...kind, note, disabled: !kind.available || note !== undefined };
            })}
            chosen={engine}
            onChoose={setPicked}
          />
        )}
        {sizes.length > 0 ? (
          <Choice
            legend={sizesMessages.legend}
            help={reason}
            options={sizes.map((one) => ({ ...one, note: sizeText(one) }))}
            chosen={size?.name}
            onChoose={setWanted}
          />
        ) : (
          reason && <p role="status">{reason}</p>
        )}
      </form>
    </Dialog>
  );
}
