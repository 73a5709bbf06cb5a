import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import { useAuth } from "@/features/identity/useAuth";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/form/Field";
import { Note } from "@/ui/Note";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { Drop } from "./Drop";
import { UploadQuota } from "./EarlierUploads";
import { newVersionMessages as messages } from "./NewVersion.messages";
import { addVersionOf, readContents } from "./queries";
import type { UploadTask } from "./shapes";
import { TaskProgress } from "./TaskProgress";
import { UploadList } from "./UploadList";
import { useUploads } from "./useUploads";

/** Uploads files as a new version of an entry. What was begun stays while the part is closed. */
export function NewVersion({ resource }: { resource: Resource }) {
  const [opened, setOpened] = useState(false);
  const [open, setOpen] = useState(false);
  return (
    <details
      className="up-more"
      open={open}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
        if (currentTarget.open) setOpened(true);
      }}
    >
      <summary>{messages.title}</summary>
      {opened && <NewVersionForm key={resource.id} resource={resource} onAdded={() => setOpen(false)} />}
    </details>
  );
}

function NewVersionForm({ resource, onAdded }: { resource: Resource; onAdded: () => void }) {
  const { id } = resource;
  const { user } = useAuth();
  const uploads = useUploads(user?.subject ?? "", id);
  const { list, queue, complete, used, mend } = uploads;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [note, setNote] = useState("");
  const [damaged, setDamaged] = useState(false);
  const [task, setTask] = useState<UploadTask>();

  const finish = (n: number | undefined) => {
    queue.forget();
    setTask(undefined);
    setNote("");
    toast.success(messages.added, n === undefined ? undefined : messages.addedText(n));
    void client.invalidateQueries();
    onAdded();
    navigate(resourcePath(resource));
  };
  const add = useMutation({
    mutationFn: async () => {
      const sent = await used();
      await readContents(sent);
      return addVersionOf(id, sent, note.trim());
    },
    onMutate: () => setDamaged(false),
    onSuccess: (made) => (made.task ? setTask(made.task) : finish(made.result.versionNumber)),
    onError: (error) => setDamaged(mend(error)),
  });
  const failure = damaged ? messages.damaged : add.error && messages.failed(messageOf(add.error));

  if (task) {
    return (
      <TaskProgress
        task={task}
        onDone={({ versionNumber }) => finish(versionNumber)}
        onBack={() => setTask(undefined)}
      />
    );
  }
  return (
    <div className="up-stack">
      <p>{messages.means}</p>
      <Drop onChoose={({ files }) => queue.add(files)} />
      <UploadQuota />
      <UploadList uploads={uploads} />
      <Field
        label={messages.note}
        help={messages.noteHelp}
        value={note}
        maxLength={1000}
        onChange={(event) => setNote(event.target.value)}
      />
      {failure && (
        <Note kind="error" role="alert">
          {failure}
        </Note>
      )}
      <div>
        <Button
          variant="primary"
          busy={add.isPending}
          unavailable={list.length === 0 ? messages.noFiles : complete ? undefined : messages.notYet}
          onClick={() => add.mutate()}
        >
          {messages.add}
        </Button>
      </div>
    </div>
  );
}
