import { useState } from "react";
import { messageOf } from "@/api/problem";
import runStyles from "@/features/entry/runs/Runs.module.css";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/form/Field";
import { Form } from "@/ui/form/Form";
import { useWait } from "./JoinForm";
import { joinMessages as messages } from "./JoinPage.messages";
import { refusalOf } from "./joinRefusal";
import type { OwnSeat } from "./types";

interface SeatCodeFormProps {
  /** Whether it's shown from the beginning. */
  open: boolean;
  submit: string;
  busy: boolean;
  error: Error | null | undefined;
  blockedUntil: number;
  onSeat: (seat: OwnSeat) => void;
}

/** Comes back to a seat from another browser. */
export function SeatCodeForm({ open, submit, busy, error, blockedUntil, onSeat }: SeatCodeFormProps) {
  const [seat, setSeat] = useState("");
  const [seatCode, setSeatCode] = useState("");
  const [faults, setFaults] = useState<{ seat?: string; seatCode?: string }>({});
  const [failures, setFailures] = useState(0);
  const wait = useWait(blockedUntil);
  const refusal = error ? refusalOf(error) : undefined;

  const send = () => {
    if (busy || wait > 0) return;
    const number = /^\s*\d{1,4}\s*$/.test(seat) ? Number(seat) : 0;
    const wrong = {
      ...(number < 1 && { seat: messages.wrongSeat }),
      ...(seatCode.trim() === "" && { seatCode: messages.wrongSeatCode }),
    };
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) setFailures(failures + 1);
    else onSeat({ seat: number, seatCode: seatCode.trim() });
  };

  return (
    <details className={runStyles.log} open={open}>
      <summary>{messages.haveSeat}</summary>
      <Form
        onSubmit={send}
        failures={failures}
        error={
          wait > 0
            ? messages.tooMany(wait)
            : refusal?.kind === "code"
              ? messages.otherSeatCode
              : refusal?.kind === "gone"
                ? messages.workGone
                : refusal?.kind === "other"
                  ? messageOf(error)
                  : undefined
        }
        actions={
          <Button type="submit" busy={busy} disabled={wait > 0}>
            {submit}
          </Button>
        }
      >
        <p>{messages.haveSeatMeans}</p>
        <Field
          label={messages.seat}
          inputMode="numeric"
          error={faults.seat}
          value={seat}
          onChange={(event) => {
            setSeat(event.target.value);
            setFaults({});
          }}
        />
        <Field
          label={messages.seatCode}
          error={faults.seatCode}
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          value={seatCode}
          onChange={(event) => {
            setSeatCode(event.target.value);
            setFaults({});
          }}
        />
      </Form>
    </details>
  );
}
