import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { messageOf, Problem } from "@/api/problem";
import { resourcePath } from "@/features/catalog/kinds";
import { EntryForm } from "@/features/contribute/EntryForm";
import { useAuth } from "@/features/identity/useAuth";
import { fileSize } from "@/lib/measures";
import { BackLink } from "@/ui/BackLink";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Note } from "@/ui/Note";
import { Page } from "@/ui/Page";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import type { ChosenFiles } from "./chosenFiles";
import { Drop, LeftOut } from "./Drop";
import { draftFrom } from "./draftFrom";
import { EarlierUploads, UploadQuota } from "./EarlierUploads";
import { addEntryOf, readContents } from "./queries";
import type { QueuedUpload } from "./queue";
import { secretsMessages } from "./secrets.messages";
import type { UploadContents, UploadTask, UploadType } from "./shapes";
import { TaskProgress } from "./TaskProgress";
import { TypeChoice, typesOf } from "./TypeChoice";
import { UploadList } from "./UploadList";
import { uploadPageMessages as messages } from "./UploadPage.messages";
import { UploadStyles } from "./UploadStyles";
import { useUploads } from "./useUploads";

/** /add/upload: files of the visitor's computer become an entry. */
export function UploadPage() {
  const { user } = useAuth();
  const account = user?.subject ?? "";
  return (
    <Page width="narrow" above={<BackLink to="/add" />} subtitle={messages.subtitle}>
      <UploadStyles />
      <Steps key={account} account={account} />
    </Page>
  );
}

interface Read {
  /** The keys of the uploads that were read. */
  of: string;
  contents: UploadContents;
  type: UploadType | undefined;
}

const keysOf = (list: readonly QueuedUpload[]) => list.map(({ key }) => key).join();

function Steps({ account }: { account: string }) {
  const uploads = useUploads(account, "new");
  const { list, queue, complete, used, mend } = uploads;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [folder, setFolder] = useState("");
  const [read, setRead] = useState<Read>();
  const [damaged, setDamaged] = useState(false);
  const [task, setTask] = useState<{ task: UploadTask; type: UploadType }>();

  const repair = (error: Error) => {
    if (mend(error)) setDamaged(true);
  };
  const reading = useMutation({
    mutationFn: async (): Promise<Read> => {
      const of = keysOf(queue.get());
      const contents = await readContents(await used());
      return { of, contents, type: typesOf(contents)[0] };
    },
    onMutate: () => setDamaged(false),
    onSuccess: setRead,
    onError: repair,
  });
  const choose = (chosen: ChosenFiles) => {
    if (list.length === 0) setFolder(chosen.folder ?? "");
    return queue.add(chosen.files);
  };

  const found = read?.of === keysOf(list) ? read : undefined;
  const heading = useRef<HTMLHeadingElement>(null);
  const isFound = found !== undefined;
  useEffect(() => {
    if (isFound) heading.current?.focus();
  }, [isFound]);

  const type = read?.type;

  const create = async (as: UploadType, fields: object) => {
    if (!queue.get().every(({ state }) => state === "done")) throw new Problem(0, messages.notYet);
    try {
      const made = await addEntryOf(await used(), { ...fields, type: as });
      if (made.task) setTask({ task: made.task, type: as });
      else queue.forget();
      return made.result;
    } catch (error) {
      repair(error as Error);
      throw error;
    }
  };
  const finish = ({ resourceId }: UploadTask, as: UploadType) => {
    queue.forget();
    void client.invalidateQueries();
    toast.success(messages.added, messages.addedText);
    navigate(resourceId === undefined ? "/resources" : resourcePath({ id: resourceId, type: as }), { replace: true });
  };

  return (
    <>
      {task && (
        <section aria-label={messages.task}>
          <TaskProgress task={task.task} onDone={(done) => finish(done, task.type)} onBack={() => setTask(undefined)} />
        </section>
      )}
      {/* What was typed stays while the server works. */}
      <div className="up-steps" hidden={task !== undefined}>
        <section className="up-part" aria-labelledby="upload-files">
          <h2 id="upload-files">{messages.files}</h2>
          <Drop onChoose={choose} />
          <UploadQuota />
          <UploadList uploads={uploads} />
          {damaged && (
            <Note kind="error" role="alert" title={messages.damagedTitle}>
              {messages.damaged}
            </Note>
          )}
          {list.length > 0 && !found && !(reading.error && !damaged) && (
            <div>
              <Button
                variant="primary"
                busy={reading.isPending}
                unavailable={complete ? undefined : messages.notYet}
                onClick={() => reading.mutate()}
              >
                {messages.next}
              </Button>
            </div>
          )}
          {reading.error && !damaged && (
            <ErrorState
              title={messages.notRead}
              message={messages.kept(messageOf(reading.error))}
              retrying={reading.isPending}
              onRetry={() => reading.mutate()}
            />
          )}
        </section>
        {list.length === 0 && <EarlierUploads uploads={uploads} />}
        {found && (
          <section className="up-part" aria-labelledby="upload-what">
            <h2 id="upload-what" ref={heading} tabIndex={-1}>
              {messages.what}
            </h2>
            <Contents contents={found.contents} />
            <TypeChoice
              types={typesOf(found.contents)}
              type={type}
              onChoose={(chosen) => setRead({ ...found, type: chosen })}
            />
          </section>
        )}
        {/* It stays while other files are added, with what was typed. */}
        {type && (
          <section className="up-part" aria-label={messages.about} hidden={!found}>
            <EntryForm
              type={type}
              uploaded={{
                draft: draftFrom(read?.contents.draft ?? {}, folder),
                create: (fields) => create(type, fields),
              }}
            />
          </section>
        )}
      </div>
    </>
  );
}

/** What the server found in the uploads. */
function Contents({ contents: { files, fileCount, bytes, leftOut, warnings } }: { contents: UploadContents }) {
  return (
    <>
      <p>{messages.contents(fileCount, fileSize(bytes))}</p>
      <details className="up-more">
        <summary>{messages.list}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard too. */}
        <ul className="up-files" tabIndex={0} aria-label={messages.list}>
          {files.map(({ path, bytes: size }) => (
            <li key={path}>
              <bdi>{path}</bdi>
              <span className="up-quiet">{fileSize(size)}</span>
            </li>
          ))}
          {fileCount > files.length && <li>{messages.filesMore(fileCount - files.length)}</li>}
        </ul>
      </details>
      <LeftOut leftOut={leftOut} />
      {warnings.length > 0 && (
        <Note kind="info" title={messages.secrets}>
          <ul className="up-warned">
            {warnings.slice(0, 20).map(({ path, kind, line, cell }) => (
              <li key={`${path} ${kind}`}>
                <bdi>{path}</bdi> {secretsMessages.kinds[kind]} {secretsMessages.place(line, cell)}
              </li>
            ))}
            {warnings.length > 20 && <li>{messages.filesMore(warnings.length - 20)}</li>}
          </ul>
          {messages.secretsHelp}
        </Note>
      )}
    </>
  );
}
