import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { messageOf } from "@/api/problem";
import { resourcePath } from "@/features/catalog/kinds";
import { EntryForm } from "@/features/contribute/EntryForm";
import { LeftOut } from "@/features/uploads/Drop";
import { draftFrom } from "@/features/uploads/draftFrom";
import type { UploadTask, UploadType } from "@/features/uploads/shapes";
import { TaskProgress } from "@/features/uploads/TaskProgress";
import { TypeChoice, typesOf } from "@/features/uploads/TypeChoice";
import { day, moment } from "@/lib/format";
import { fileSize, time } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Choice } from "@/ui/form/Field";
import { FormGroup } from "@/ui/form/Form";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { FileTree } from "./FileTree";
import { chosenAgain, chosenAtFirst, pathsOf, sumOf, treeOf, warningsOf } from "./fileTree";
import { publishPageMessages as messages, publishingWords } from "./PublishPage.messages";
import { describe } from "./queries";
import { SecretsDialog } from "./SecretsDialog";
import { Sources } from "./Sources";
import type { Publication, SessionContents } from "./shapes";
import { usePublish } from "./usePublish";
import { VersionForm } from "./VersionForm";

interface PublishStepsProps {
  /** Its id. */
  session: string;
  /** The work as it was when the page looked last. */
  contents: SessionContents;
  looking: boolean;
  /** Why looking again failed. */
  lookError: Error | null;
  onLook: () => void;
}

interface Read {
  /** Which files of which version were read. */
  of: string;
  contents: SessionContents;
}

const keyOf = (version: string, paths: readonly string[]) => [version, ...paths].join("\n");

/** The entry that gets the files, for the way there. */
interface Target {
  id?: string;
  type: string;
}

/** Choosing files, saying what they become, and publishing them. */
export function PublishSteps({ session, contents, looking, lookError, onLook }: PublishStepsProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [seen, setSeen] = useState(contents);
  const [chosen, setChosen] = useState(() => chosenAtFirst(contents));
  if (seen !== contents) {
    setSeen(contents);
    setChosen(chosenAgain(chosen, seen, contents));
  }
  const { version, files } = contents;
  const root = useMemo(() => treeOf(files), [files]);
  const paths = useMemo(() => pathsOf(root, chosen), [root, chosen]);
  const key = keyOf(version, paths);
  const warned = warningsOf(contents.warnings);

  const [read, setRead] = useState<Read>();
  const [as, setAs] = useState<"entry" | "version">("entry");
  const [wanted, setWanted] = useState<UploadType>();
  const [task, setTask] = useState<{ task: UploadTask; target: Target }>();
  const reading = useMutation({
    mutationFn: async (): Promise<Read> => ({ of: key, contents: await describe(session, { version, paths }) }),
    onSuccess: setRead,
  });
  const isFound = read?.of === key;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isFound) heading.current?.focus();
  }, [isFound]);

  const types = read ? typesOf(read.contents) : [];
  const type = types.find((each) => each === wanted) ?? types[0];

  const { question, send } = usePublish(session, (secret) => {
    const rest = new Set([...chosen].filter((path) => !secret.includes(path)));
    const left = pathsOf(root, rest);
    // What was typed stays, and is sent with the files that are left.
    if (left.length > 0 && read) {
      setChosen(rest);
      setRead({ ...read, of: keyOf(version, left) });
    }
    return left;
  });
  const finish = ({ id, type: of }: Target, number: number | undefined) => {
    void client.invalidateQueries();
    if (as === "entry") toast.success(messages.published, messages.publishedText);
    else toast.success(messages.versionPublished(number));
    navigate(id === undefined ? "/resources" : resourcePath({ id, type: of }));
  };
  const go = async (wish: Pick<Publication, "as" | "note">, target: Target) => {
    const done = await send({ ...wish, version, paths });
    if (done?.task) setTask({ task: done.task, target });
    else if (done) finish({ ...target, id: done.result.resourceId }, done.result.versionNumber);
  };

  return (
    <>
      {task && (
        <Working
          task={task.task}
          onDone={({ resourceId, versionNumber }) => finish({ ...task.target, id: resourceId }, versionNumber)}
          onBack={() => setTask(undefined)}
        />
      )}
      {/* What was typed stays while the server works. */}
      <div className="up-steps" hidden={task !== undefined}>
        <section className="up-part" aria-labelledby="publish-files">
          <h2 id="publish-files">{messages.files}</h2>
          <Moment at={contents.at} looking={looking} error={lookError} onLook={onLook} />
          {warned.size > 0 && <p className="up-quiet">{messages.warned(warned.size)}</p>}
          <FileTree key={version} contents={contents} root={root} chosen={chosen} onChoose={setChosen} />
          {contents.fileCount > files.length && (
            <p className="up-quiet">{messages.cut(files.length, contents.fileCount)}</p>
          )}
          <LeftOut leftOut={contents.leftOut} />
          {contents.notSaved.length > 0 && (
            <details className="up-more">
              <summary>{messages.notSaved(contents.notSaved.length)}</summary>
              <ul className="up-files">
                {contents.notSaved.map(({ what, why }) => (
                  <li key={what}>
                    <bdi>{what}</bdi>
                    <span className="up-quiet">{why}</span>
                  </li>
                ))}
              </ul>
            </details>
          )}
          <div className="up-row">
            <Sum contents={contents} chosen={chosen} />
            {!isFound && (
              <Button
                variant="primary"
                busy={reading.isPending}
                unavailable={paths.length === 0 ? messages.chooseFirst : undefined}
                onClick={() => reading.mutate()}
              >
                {messages.next}
              </Button>
            )}
          </div>
          {reading.error && !isFound && (
            <ErrorState
              title={messages.notRead}
              message={messageOf(reading.error)}
              retrying={reading.isPending}
              onRetry={() => reading.mutate()}
            />
          )}
        </section>
        {read && (
          <section className="up-part" aria-labelledby="publish-as" hidden={!isFound}>
            <h2 id="publish-as" ref={heading} tabIndex={-1}>
              {messages.as}
            </h2>
            <FormGroup title={messages.how}>
              {(["entry", "version"] as const).map((each) => (
                <Choice
                  key={each}
                  type="radio"
                  name="publish-as"
                  label={messages[each]}
                  help={each === "entry" ? messages.entryHelp : messages.versionHelp}
                  checked={as === each}
                  onChange={() => setAs(each)}
                />
              ))}
            </FormGroup>
            {as === "entry" && <TypeChoice types={types} type={type} onChoose={setWanted} />}
          </section>
        )}
        {/* It stays while other files are chosen, with what was typed. */}
        {read && type && (
          <section className="up-part" aria-label={messages.about} hidden={!isFound || as !== "entry"}>
            <Sources sources={contents.sources} />
            <EntryForm
              type={type}
              uploaded={{
                draft: draftOf(read.contents),
                create: async (fields) => {
                  await go({ as: { new: { ...fields, privacy: "PRIVATE", type } } }, { type });
                  return undefined;
                },
                published: { submit: messages.publish, back: "/sessions" },
              }}
            />
          </section>
        )}
        {read && (
          <section className="up-part" aria-label={messages.version} hidden={!isFound || as !== "version"}>
            <VersionForm
              types={types}
              onPublish={(entry, note) => go({ as: { entry: entry.id }, note }, { id: entry.id, type: entry.type })}
            />
          </section>
        )}
      </div>
      {question && <SecretsDialog files={question.files} onChoose={question.answer} />}
    </>
  );
}

/** What the form begins with. Files that came from others' entries may have the DOI and the version of these. */
function draftOf({ draft: { doi, version, ...draft }, sources }: SessionContents) {
  return draftFrom(sources.length > 0 ? draft : { ...draft, ...(doi && { doi }), ...(version && { version }) }, "");
}

interface MomentProps {
  at: string;
  looking: boolean;
  error: Error | null;
  onLook: () => void;
}

/** When the work was as the page shows it, and a button that looks at it again. */
function Moment({ at, looking, error, onLook }: MomentProps) {
  const isToday = day(at) === day(new Date().toISOString());
  return (
    <div className="up-bar">
      <span className="up-quiet" role="status">
        <time dateTime={at}>{messages.asOf(isToday ? time(at) : moment(at))}</time>
      </span>
      <Button size="small" busy={looking} onClick={onLook}>
        {messages.look}
      </Button>
      {error && !looking && (
        <span className="up-failed" role="alert">
          {messageOf(error)}
        </span>
      )}
    </div>
  );
}

function Sum({ contents, chosen }: { contents: SessionContents; chosen: ReadonlySet<string> }) {
  const { files, bytes } = sumOf(contents.files, chosen);
  return (
    <span className="pb-sum" role="status">
      {files === 0 ? messages.noneChosen : messages.sum(files, fileSize(bytes))}
    </span>
  );
}

interface WorkingProps {
  task: UploadTask;
  onDone: (task: UploadTask) => void;
  onBack: () => void;
}

function Working(props: WorkingProps) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  return (
    <section ref={section} tabIndex={-1} className="pb-working" aria-label={messages.working}>
      <TaskProgress {...props} words={publishingWords} />
    </section>
  );
}
