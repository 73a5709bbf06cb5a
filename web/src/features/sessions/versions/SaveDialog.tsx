import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { messageOf } from "@/api/problem";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/form/Field";
import { Note } from "@/ui/Note";
import { toast } from "@/ui/toast";
import { sessionsKey } from "../queries";
import { saveVersion } from "./queries";
import { versionsMessages as messages } from "./Versions.messages";

/** Asks for the name of a version, and saves it. */
export function SaveDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const queries = useQueryClient();
  const form = useId();
  const [name, setName] = useState("");
  const [missing, setMissing] = useState(false);
  const save = useMutation({
    mutationFn: () => saveVersion(id, name.trim()),
    onSuccess: async () => {
      toast.success(messages.saved);
      onClose();
      await queries.invalidateQueries({ queryKey: [...sessionsKey, id] });
    },
  });
  return (
    <Dialog
      title={messages.saveTitle}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{messages.cancel}</Button>
          <Button type="submit" form={form} variant="primary" busy={save.isPending}>
            {messages.saveIt}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setMissing(name.trim() === "");
          if (name.trim() !== "" && !save.isPending) save.mutate();
        }}
      >
        <Field
          label={messages.name}
          help={messages.nameHelp}
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
          error={missing && name.trim() === "" ? messages.nameRequired : undefined}
        />
      </form>
      {save.error && (
        <Note kind="error" role="alert" title={messages.notSaved}>
          {messageOf(save.error)}
        </Note>
      )}
    </Dialog>
  );
}
