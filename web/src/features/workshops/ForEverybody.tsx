import { useState } from "react";
import { Choice } from "@/features/sessions/Choice";
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { Field, FieldFrame } from "@/ui/form/Field";
import { Form } from "@/ui/form/Form";
import rows from "@/ui/ListRow.module.css";
import { boardMessages as messages } from "./BoardPage.messages";
import { handOut, sendMessage } from "./queries";
import { base64Of } from "./readFile";
import type { Board, Handout, SentMessage } from "./types";
import { useAct } from "./useAct";

const longestMessage = 500;

/** Bytes of a file that is handed out. */
const largestFile = 10 * 1024 * 1024;

interface ForEverybodyProps {
  workshop: string;
  board: Board;
  now: number;
}

/** Messages and files for the whole room, and those that were sent. */
export function ForEverybody({ workshop, board, now }: ForEverybodyProps) {
  return (
    <div className="ws-forms">
      <div className="ws-form">
        <MessageForm workshop={workshop} />
        <Sent sent={board.messages} now={now} />
      </div>
      <div className="ws-form">
        <HandoutForm workshop={workshop} />
        <HandedOut handouts={board.handouts} now={now} />
      </div>
    </div>
  );
}

function MessageForm({ workshop }: { workshop: string }) {
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string>();
  const [failures, setFailures] = useState(0);
  const send = useAct((written: string) => sendMessage(workshop, written), {
    done: messages.sent,
    failed: messages.notSent,
  });
  const submit = () => {
    const written = text.trim();
    if (send.isPending) return;
    if (written === "" || [...written].length > longestMessage) {
      setFault(messages.wrongMessage);
      setFailures(failures + 1);
      return;
    }
    send.mutate(written, { onSuccess: () => setText("") });
  };
  return (
    <Form
      onSubmit={submit}
      failures={failures}
      actions={
        <Button type="submit" busy={send.isPending}>
          {messages.send}
        </Button>
      }
    >
      <FieldFrame label={messages.message} help={messages.messageHelp} error={fault}>
        {(control) => (
          <textarea
            {...control}
            rows={3}
            maxLength={longestMessage}
            dir="auto"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setFault(undefined);
            }}
          />
        )}
      </FieldFrame>
    </Form>
  );
}

function Sent({ sent, now }: { sent: readonly SentMessage[]; now: number }) {
  if (sent.length === 0) return null;
  return (
    <section aria-label={messages.sentOnes}>
      <h3>{messages.sentOnes}</h3>
      <ul className={rows.what}>
        {sent.map(({ id, text, at }) => (
          <li key={id}>
            <p dir="auto">{text}</p>
            <Ago className={rows.note} moment={at} now={now} />
          </li>
        ))}
      </ul>
    </section>
  );
}

type Kind = keyof typeof messages.handoutKinds;

function HandoutForm({ workshop }: { workshop: string }) {
  const [kind, setKind] = useState<Kind>("file");
  const [file, setFile] = useState<File>();
  const [ref, setRef] = useState("");
  const [fault, setFault] = useState<string>();
  const [failures, setFailures] = useState(0);
  /** Another one of these is another, empty field for a file. */
  const [given, setGiven] = useState(0);
  const give = useAct(
    async (what: File | string) =>
      handOut(workshop, typeof what === "string" ? { ref: what } : { name: what.name, content: await base64Of(what) }),
    { done: messages.given, failed: messages.notGiven },
    () => {
      setFile(undefined);
      setRef("");
      setGiven((count) => count + 1);
    },
  );
  const submit = () => {
    if (give.isPending) return;
    const what = kind === "ref" ? ref.trim() : file && file.size <= largestFile ? file : "";
    if (what !== "") {
      give.mutate(what);
      return;
    }
    setFault(kind === "ref" ? messages.wrongRef : messages.wrongFile);
    setFailures(failures + 1);
  };
  return (
    <Form
      onSubmit={submit}
      failures={failures}
      actions={
        <Button type="submit" busy={give.isPending}>
          {messages.give}
        </Button>
      }
    >
      <Choice
        legend={messages.handout}
        options={[
          { name: "file", label: messages.handoutKinds.file },
          { name: "ref", label: messages.handoutKinds.ref },
        ]}
        chosen={kind}
        onChoose={(name) => {
          setKind(name === "ref" ? "ref" : "file");
          setFault(undefined);
        }}
      />
      {kind === "file" ? (
        <Field
          key={given}
          type="file"
          label={messages.handoutFile}
          help={messages.handoutHelp}
          error={fault}
          onChange={(event) => {
            setFile(event.target.files?.[0]);
            setFault(undefined);
          }}
        />
      ) : (
        <Field
          label={messages.handoutRef}
          help={messages.handoutRefHelp}
          error={fault}
          spellCheck={false}
          value={ref}
          onChange={(event) => {
            setRef(event.target.value);
            setFault(undefined);
          }}
        />
      )}
    </Form>
  );
}

function HandedOut({ handouts, now }: { handouts: readonly Handout[]; now: number }) {
  if (handouts.length === 0) return null;
  return (
    <section aria-label={messages.handouts}>
      <h3>{messages.handouts}</h3>
      <ul className={rows.what}>
        {handouts.map(({ id, name, at, delivered, of }) => (
          <li key={id}>
            <p>
              <bdi>{name}</bdi>
            </p>
            <p className={rows.note}>{messages.delivered(delivered, of)}</p>
            <Ago className={rows.note} moment={at} now={now} />
          </li>
        ))}
      </ul>
    </section>
  );
}
