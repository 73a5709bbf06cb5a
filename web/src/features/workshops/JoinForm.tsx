import { useState } from "react";
import { fieldFaults, messageOf } from "@/api/problem";
import { useAuth } from "@/features/identity/useAuth";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/form/Field";
import { Form } from "@/ui/form/Form";
import { Note } from "@/ui/Note";
import { codeFromLink, isWhole, normalizeCode } from "./code";
import { HostPart } from "./HostPart";
import { joinMessages as messages } from "./JoinPage.messages";
import { refusalOf } from "./joinRefusal";
import type { Joining } from "./useJoin";
import { useSeconds } from "./useSeconds";

const longestName = 80;

interface JoinFormProps {
  joinKey: string;
  /** People without an account can join. */
  guests: boolean;
  joining: Joining;
}

/** Takes a seat: with a name, or as oneself. */
export function JoinForm({ joinKey, guests, joining }: JoinFormProps) {
  const { state, user, login } = useAuth();
  const { enter, error, asked, isPending, blockedUntil } = joining;
  const [linked] = useState(() => codeFromLink(joinKey));
  const [name, setName] = useState("");
  const [code, setCode] = useState(linked);
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({});
  const [failures, setFailures] = useState(0);
  const wait = useWait(blockedUntil);
  const signedIn = state === "authenticated";
  // What is said belongs to this form, not to that of seat codes.
  const own = error && asked && "code" in asked ? error : undefined;
  const refusal = own && refusalOf(own);
  const refused = own ? fieldFaults(own) : {};
  const [shownFor, setShownFor] = useState<Error>();
  if (own && own !== shownFor) {
    setShownFor(own);
    setFailures((count) => count + 1);
  }
  const wrongCode = refusal?.kind === "code" && asked && "code" in asked && asked.code === normalizeCode(code);

  const signIn = () => void login(`/join/${encodeURIComponent(joinKey)}`);
  if (!guests && !signedIn) {
    return (
      <HostPart title={messages.join}>
        <p>{messages.mustSignIn}</p>
        <div>
          <Button variant="primary" onClick={signIn}>
            {messages.signIn}
          </Button>
        </div>
      </HostPart>
    );
  }

  const submit = () => {
    if (isPending || wait > 0) return;
    const trimmed = name.trim();
    const wrong = {
      ...(!signedIn && (trimmed === "" || [...trimmed].length > longestName) && { name: messages.wrongName }),
      ...(!isWhole(code) && { code: messages.wrongCode }),
    };
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) {
      setFailures(failures + 1);
      return;
    }
    enter({ code: normalizeCode(code), ...(!signedIn && { name: trimmed }) });
  };

  const said = refusal?.kind === "other" && Object.keys(refused).length === 0;
  return (
    <HostPart title={messages.join}>
      <Note kind="info">
        <p>{messages.privacy}</p>
      </Note>
      <Form
        onSubmit={submit}
        failures={failures}
        error={wait > 0 ? messages.tooMany(wait) : said ? `${messages.notJoined} ${messageOf(own)}` : undefined}
        actions={
          <Button type="submit" variant="primary" busy={isPending} disabled={wait > 0}>
            {messages.join}
          </Button>
        }
      >
        {signedIn ? (
          <p>
            <bdi>{messages.as(user?.name || user?.email || "")}</bdi>
          </p>
        ) : (
          <Field
            label={messages.name}
            help={messages.nameHelp}
            error={faults.name ?? refused.name}
            autoComplete="name"
            dir="auto"
            value={name}
            onChange={(event) => {
              setName(event.target.value);
              setFaults(({ name: _, ...others }) => others);
            }}
          />
        )}
        <Field
          label={messages.code}
          help={linked !== "" && code === linked ? messages.codeFromLink : messages.codeHelp}
          error={faults.code ?? refused.code ?? (wrongCode ? messages.otherCode : undefined)}
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          value={code}
          onChange={(event) => {
            setCode(event.target.value);
            setFaults(({ code: _, ...others }) => others);
          }}
        />
      </Form>
      {!signedIn && (
        <div className={projectStyles.labels}>
          <Button size="small" onClick={signIn}>
            {messages.account}
          </Button>
          <span className={projectStyles.quiet}>{messages.accountMeans}</span>
        </div>
      )}
    </HostPart>
  );
}

/** For how many seconds no further try is taken. */
export function useWait(until: number): number {
  const [blocked, setBlocked] = useState(until > Date.now());
  const now = useSeconds(blocked);
  const left = Math.max(0, Math.ceil((until - Math.max(now, 0)) / 1000));
  if (left > 0 !== blocked) setBlocked(left > 0);
  return left;
}
