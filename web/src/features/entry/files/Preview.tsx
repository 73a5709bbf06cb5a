import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import { useVersion } from "@/api/version";
import { moment } from "@/lib/format";
import { fileSize } from "@/lib/measures";
import { fileAddress, isNotebook, shownName } from "@/lib/repositoryFiles";
import { saveFile } from "@/lib/saveFile";
import { Button, LinkButton } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { Loading } from "@/ui/Loading";
import { NotebookFrame, NotebookPlace } from "@/ui/NotebookFrame";
import { coloredRuns, type Highlight } from "./coloredRuns";
import { previewMessages as messages } from "./Preview.messages";
import styles from "./Preview.module.css";
import { notebookQuery, textQuery } from "./queries";

interface PreviewProps {
  id: string;
  path: string;
  filesUrl: string;
  /** What people call the code host. */
  host: string;
  /** Sessions and jobs can be started from it. */
  runnable: boolean;
  /** The server shows its notebooks in frames, which can't tell who looks at them. */
  framed: boolean;
  onClose: () => void;
}

/** The preview of a file: a notebook, or plain text. */
export function Preview({ id, path, filesUrl, host, runnable, framed, onClose }: PreviewProps) {
  const name = nameOf(path);
  const runs = runnable && isNotebook(name);
  return (
    <Dialog
      title={shownName(name)}
      onClose={onClose}
      wide
      footer={
        (runs || filesUrl !== "") && (
          <>
            {runs && (
              <LinkButton to={`/jobs/new?${new URLSearchParams({ resource: id, file: path })}`}>
                {messages.runWith}
              </LinkButton>
            )}
            {filesUrl !== "" && (
              <LinkButton to={fileAddress(filesUrl, path)} newTab>
                {messages.openIn(host)}
                <Icon name="external" />
              </LinkButton>
            )}
          </>
        )
      }
    >
      {!isNotebook(name) ? (
        <Text id={id} path={path} />
      ) : framed ? (
        <Notebook id={id} path={path} />
      ) : (
        <p>{messages.notFramed}</p>
      )}
    </Dialog>
  );
}

type FileProps = Pick<PreviewProps, "id" | "path">;

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

function Notebook({ id, path }: FileProps) {
  const { data, error, refetch } = useQuery(notebookQuery(id, path, useVersion()));
  if (error) return <Failure error={error} onRetry={refetch} />;
  if (!data) return <NotebookPlace />;
  return (
    <NotebookFrame
      address={data.notebookFrameUrl}
      fullPage={data.fullPageUrl}
      title={messages.notebook(shownName(nameOf(path)))}
    />
  );
}

function Text({ id, path }: FileProps) {
  const { data, error, refetch } = useQuery(textQuery(id, path, useVersion()));
  if (data)
    return (
      <Lines
        name={nameOf(path)}
        text={data.text}
        highlights={data.highlights}
        {...(data.stale && { asOf: data.asOf })}
      />
    );
  if (error) return <Failure error={error} onRetry={refetch} />;
  return <Loading label={messages.loading} />;
}

function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return <ErrorState title={messages.failure} message={messageOf(error)} onRetry={onRetry} />;
}

interface LinesProps {
  /** Of the file. */
  name: string;
  text: string;
  highlights: readonly Highlight[] | undefined;
  asOf?: string;
}

/** A text with line numbers, code in colors. */
function Lines({ name, text, highlights = [], asOf }: LinesProps) {
  const size = new TextEncoder().encode(text).length;
  const lines = text.replace(/\n$/, "").split("\n").length;
  return (
    <>
      <div className={styles.head}>
        <p className={styles.note}>{messages.facts(lines, fileSize(size), asOf && moment(asOf))}</p>
        <CopyButton size="small" text={text} label={messages.copy} />
        <Button size="small" onClick={() => saveFile(new Blob([text]), name)}>
          <Icon name="download" size={16} />
          {messages.download}
        </Button>
      </div>
      {/* One text node for all numbers, and elements only for what has a color, so that long files need few. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className={styles.scroll} tabIndex={0} aria-label={messages.text}>
        <pre className={styles.numbers} aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => index + 1).join("\n")}
        </pre>
        <pre className={styles.text}>
          {coloredRuns(text, highlights).map(({ start, text, kind }) =>
            kind ? (
              <span key={start} className={styles[kind]}>
                {text}
              </span>
            ) : (
              text
            ),
          )}
        </pre>
      </section>
    </>
  );
}
