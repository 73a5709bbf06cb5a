import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Resource } from "@/api/types";
import { keptVersion } from "@/lib/keptFiles";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Choice } from "@/ui/form/Field";
import { FormGroup } from "@/ui/form/Form";
import { Note } from "@/ui/Note";
import { depositsMessages as messages } from "./deposits.messages";
import { beginDeposit } from "./queries";
import { HelpLink, Refusal } from "./Refusal";
import type { Archive } from "./shapes";
import { focusDeposit, useDepositList } from "./useDeposits";

interface DepositDialogProps {
  resource: Resource;
  /** Undefined: the only one that the entry has. */
  version: number | undefined;
  /** Those that don't have it yet. */
  archives: Archive[];
  onClose: () => void;
}

/** Asks where a version of an entry is to be deposited, says what that does, and begins it. */
export function DepositDialog({ resource, version, archives, onClose }: DepositDialogProps) {
  const list = useDepositList(resource.id);
  const [chosen, setChosen] = useState<string>();
  const archive = archives.find(({ name }) => name === chosen) ?? archives.find((one) => one.connected) ?? archives[0];
  const begin = useMutation({
    mutationFn: (at: string) => beginDeposit(resource.id, at, version),
    onSuccess: (deposit) => {
      list.put(deposit);
      onClose();
      focusDeposit(deposit);
    },
    onError: list.refresh,
  });
  if (!archive) return null;
  const { name, label, connected } = archive;
  const only = archives.length === 1 ? label : undefined;
  const isKept = keptVersion(resource) !== undefined;
  const need = connected ? (resource.license === "" ? "license" : undefined) : "connect";
  return (
    <Dialog
      title={version === undefined ? messages.depositAt(only) : messages.depositVersionAt(version, only)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{messages.cancel}</Button>
          <Button
            variant="primary"
            busy={begin.isPending}
            unavailable={need && messages.blocked[need]}
            onClick={() => begin.mutate(name)}
          >
            {messages.begin}
          </Button>
        </>
      }
    >
      <div className="dep-text">
        {archives.length > 1 && (
          <FormGroup title={messages.where}>
            {archives.map((one) => (
              <Choice
                key={one.name}
                type="radio"
                name="archive"
                label={one.label}
                help={one.connected ? messages.connected : messages.notConnected}
                checked={one.name === name}
                onChange={() => {
                  setChosen(one.name);
                  begin.reset();
                }}
              />
            ))}
          </FormGroup>
        )}
        {need ? (
          <Note kind="info" role="status">
            <p>{messages.needs[need](label)}</p>
            <HelpLink help={need} resource={resource} />
          </Note>
        ) : (
          <>
            <p>{messages.goes(isKept, resource.lastRun !== undefined, label)}</p>
            {!isKept && <p>{messages.filesStay}</p>}
            <p>{messages.thenPublish}</p>
          </>
        )}
        {begin.error && <Refusal error={begin.error} step="begin" archive={label} resource={resource} />}
      </div>
    </Dialog>
  );
}
