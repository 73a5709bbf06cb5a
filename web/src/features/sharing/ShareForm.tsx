import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConfig } from "@/api/config";
import { fieldFaults, messageOf } from "@/api/problem";
import type { Session, Share, ShareLevel, ShareWish } from "@/api/types";
import { projectsQuery } from "@/features/projects/queries";
import { sharedProjectsQuery } from "@/features/projects/sharedProjectsQuery";
import { Choice } from "@/features/sessions/Choice";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { sessionsKey } from "@/features/sessions/queries";
import { Button } from "@/ui/Button";
import { CopyText } from "@/ui/CopyText";
import { Field, FieldFrame } from "@/ui/form/Field";
import { Form } from "@/ui/form/Form";
import { Note } from "@/ui/Note";
import { LevelChoice } from "./LevelChoice";
import { share } from "./queries";
import { shareMessages as messages } from "./share.messages";
import { endsSomeTime, type UntilChoice, untilOf } from "./until";
import { whomText } from "./words";

type Whom = keyof typeof messages.withWhom;

const whoms: readonly Whom[] = ["email", "project", "link"];
const untils: readonly UntilChoice[] = ["hour", "day", "session"];

/** Shares one of the user's sessions, and shows the address to give to others. */
export function ShareForm({ session }: { session: Session }) {
  const { links } = useConfig().sharing;
  const queries = useQueryClient();
  const projects = useProjects();
  const ends = endsSomeTime(session);
  const [whom, setWhom] = useState<Whom>("email");
  const [email, setEmail] = useState("");
  const [picked, setPicked] = useState("");
  const [can, setCan] = useState<ShareLevel>("see");
  const [asked, setUntil] = useState<UntilChoice>("session");
  const until = asked === "session" && !ends ? "day" : asked;
  const project = projects.find(({ id }) => id === picked) ?? projects[0];
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({});
  const [failures, setFailures] = useState(0);
  const refuse = (found: Partial<Record<string, string>>) => {
    setFaults(found);
    setFailures((count) => count + 1);
  };

  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: (wish: ShareWish) => share(session.id, wish),
    onSuccess: async () => {
      setEmail("");
      await queries.invalidateQueries({ queryKey: sessionsKey });
    },
    onError: (refusal) => refuse(fieldFaults(refusal)),
  });
  const submit = () => {
    if (isPending) return;
    reset();
    if (whom === "email" && email.trim() === "") return refuse({ "with.email": messages.noAddress });
    if (whom === "project" && !project) return refuse({ "with.project": messages.chooseProject });
    setFaults({});
    mutate({
      with:
        whom === "email"
          ? { email: email.trim() }
          : whom === "project"
            ? { project: project?.id ?? "" }
            : { link: true },
      can,
      until: untilOf(until, new Date()),
    });
  };
  const shown = Object.keys(faults).some((field) => field === `with.${whom}`);

  return (
    <div className={dashboard.parts}>
      <Form
        onSubmit={submit}
        failures={failures}
        error={error && !shown ? `${messages.refused} ${messageOf(error)}` : undefined}
        actions={
          <Button type="submit" variant="primary" busy={isPending}>
            {whom === "link" ? messages.makeLink : messages.share}
          </Button>
        }
      >
        <div>
          <Choice
            legend={messages.with}
            options={whoms
              .filter((one) => one !== "link" || links !== "none")
              .map((one) => ({
                name: one,
                label: messages.withWhom[one],
                ...(one === "link" && { note: messages.links[links] }),
              }))}
            chosen={whom}
            onChoose={(name) => {
              setWhom(whoms.find((one) => one === name) ?? whom);
              setFaults({});
            }}
          />
          {whom === "email" && (
            <Field
              type="email"
              label={messages.email}
              error={faults["with.email"]}
              value={email}
              onChange={(event) => {
                setEmail(event.target.value);
                setFaults({});
              }}
            />
          )}
          {whom === "project" && (
            <FieldFrame
              label={messages.project}
              help={projects.length === 0 && messages.noProjects}
              error={faults["with.project"]}
            >
              {(control) => (
                <select {...control} value={project?.id} onChange={(event) => setPicked(event.target.value)}>
                  {projects.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </FieldFrame>
          )}
        </div>
        <div>
          <LevelChoice legend={messages.can} chosen={can} onChoose={setCan} />
        </div>
        <Choice
          legend={messages.until}
          options={untils.map((one) => ({
            name: one,
            label: messages.untilChoices[one],
            ...(one === "session" && !ends && { note: messages.notRunning, disabled: true }),
          }))}
          chosen={until}
          onChoose={(name) => setUntil(untils.find((one) => one === name) ?? until)}
        />
      </Form>
      {data && <Made made={data} />}
    </div>
  );
}

/** The user's projects, and those that are shared with them. */
function useProjects() {
  const { data: own = [] } = useQuery(projectsQuery);
  const { data: others = [] } = useQuery(sharedProjectsQuery);
  return [...own, ...others].filter(({ role }) => role !== undefined);
}

/** What was shared, and the address that leads to it. */
function Made({ made }: { made: Share }) {
  return (
    <Note kind="info" role="status" title={made.with.link ? messages.linkMade : messages.shared(whomText(made))}>
      <p>{made.with.link ? messages.giveLink : messages.giveAddress}</p>
      {made.url !== undefined && <CopyText label={messages.address} text={made.url} />}
    </Note>
  );
}
