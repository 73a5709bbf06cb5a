import { type ReactNode, useState } from "react";
import { longestRunAddress, runPath } from "@/lib/sharing/runAddress";
import {
  binderAddress,
  binderOfGit,
  cloneCommand,
  colabAddress,
  gitHubPlace,
  shareFormats,
  shareText,
} from "@/lib/sharing/share";
import { CopyText } from "./CopyText";
import { Dialog } from "./Dialog";
import { Field } from "./form/Field";
import { shareDialogMessages as messages } from "./ShareDialog.messages";
import styles from "./ShareDialog.module.css";
import { Tabs } from "./Tabs";

/** An entry or a project. */
interface SharedThing {
  id: string;
  /** The path of its page. */
  page: string;
  runnable: boolean;
  /** What its badge is; undefined if it has none. */
  badge?: string | undefined;
  isPrivate: boolean;
  /** The clone address of its repository, or the address of its notebook. */
  source?: string | undefined;
  /** The source is a repository, of which a file and a branch can be named. */
  hasFiles: boolean;
  /** Renders a datalist with that id of the paths that begin as somebody typed. */
  suggestPaths?: (id: string, typed: string) => ReactNode;
}

interface ShareDialogProps {
  title: string;
  thing: SharedThing;
  product: string;
  onClose: () => void;
}

/** Links to something for chats, READMEs and web pages, and the ways to open it elsewhere. */
export function ShareDialog({ title, thing, product, onClose }: ShareDialogProps) {
  const { id, page, runnable, badge, isPrivate, source, hasFiles, suggestPaths } = thing;
  const [file, setFile] = useState("");
  const [ref, setRef] = useState("");
  const [choosing, setChoosing] = useState(false);
  const options = { file: file.trim(), ref: ref.trim() };
  const address = location.origin + (runnable ? runPath(id, options) : page);
  const tooLong = address.length > longestRunAddress;
  const shared = {
    address,
    badge: badge === undefined ? undefined : `${location.origin}/badge/${id}.svg`,
    text: badge ?? (runnable ? messages.runOn : messages.seeOn)(product),
  };
  const links = (
    <>
      <Line name={messages.page} copy={messages.pageCopy} text={location.origin + page} />
      {runnable && <Line name={messages.run} copy={messages.runCopy} text={address} />}
    </>
  );
  return (
    <Dialog title={title} onClose={onClose}>
      {isPrivate && <p className={styles.note}>{messages.private}</p>}
      <Tabs
        label={messages.formats}
        tabs={[
          { name: messages.link, content: <div className={styles.lines}>{links}</div> },
          ...shareFormats.map((format) => ({
            name: format,
            content: (
              <div className={styles.lines}>
                {shared.badge && <img className={styles.badge} src={shared.badge} alt={shared.text} height={20} />}
                <CopyText label={format} text={shareText(shared, format)} />
              </div>
            ),
          })),
        ]}
      />
      {runnable && <p className={styles.note}>{messages.startsNothing}</p>}
      {runnable && hasFiles && (
        <details onToggle={(event) => setChoosing(event.currentTarget.open)}>
          <summary>{messages.options}</summary>
          <div className={styles.options}>
            <Field
              label={messages.opensFile}
              help={messages.fileHelp}
              error={tooLong ? messages.tooLong(longestRunAddress) : undefined}
              value={file}
              dir="auto"
              list={suggestPaths && "paths"}
              onChange={(event) => setFile(event.target.value)}
            />
            {choosing && suggestPaths?.("paths", file)}
            <Field
              label={messages.ref}
              help={messages.refHelp}
              value={ref}
              dir="auto"
              onChange={(event) => setRef(event.target.value)}
            />
          </div>
        </details>
      )}
      {source !== undefined && <Elsewhere source={source} hasFiles={hasFiles} {...options} />}
    </Dialog>
  );
}

interface ElsewhereProps {
  source: string;
  hasFiles: boolean;
  file: string;
  ref: string;
}

function Elsewhere({ source, hasFiles, file, ref }: ElsewhereProps) {
  const place = gitHubPlace(source);
  if (!place && !hasFiles) return null;
  const there = place && { ...place, file: file || place.file, ref: ref || place.ref };
  const binder = there ? binderAddress(there) : binderOfGit(source, ref, file);
  const clone = hasFiles ? source : `https://github.com/${place?.owner}/${place?.name}`;
  return (
    <section className={styles.lines} aria-labelledby="elsewhere">
      <h3 id="elsewhere">{messages.elsewhere}</h3>
      {binder && <Line name={messages.binder} copy={messages.binderCopy} text={binder} />}
      {there && <Line name={messages.colab} copy={messages.colabCopy} text={colabAddress(there)} />}
      <Line name={messages.clone} copy={messages.cloneCopy} text={cloneCommand(clone, ref || place?.ref)} />
    </section>
  );
}

/** A text to copy, under its name. */
function Line({ name, copy, text }: { name: string; copy: string; text: string }) {
  return (
    <div>
      <p className={styles.name}>{name}</p>
      <CopyText label={copy} text={text} />
    </div>
  );
}
