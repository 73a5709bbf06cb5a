import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { secretsMessages } from "@/features/uploads/secrets.messages";
import { fileSize } from "@/lib/measures";
import { Icon } from "@/ui/Icon";
import { SearchBox } from "@/ui/list/SearchBox";
import { fileTreeMessages as messages } from "./FileTree.messages";
import { choose, countChosen, type FileNode, filesWith, foldersOf, warningsOf } from "./fileTree";
import type { SecretWarning, SessionContents } from "./shapes";

/** From how many files on they can be filtered, and folders begin closed. */
const many = 30;

/** How many items of a folder are shown at once. */
const step = 200;

interface FileTreeProps {
  contents: SessionContents;
  root: FileNode;
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
}

/** The files of a session in their folders, each with a checkbox. What is in a closed folder isn't drawn. */
export function FileTree({ contents: { files, warnings }, root, chosen, onChoose }: FileTreeProps) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(() => {
    const seen = files.length > many ? warnings.slice(0, 20) : files;
    return new Set(["", ...seen.flatMap(({ path }) => foldersOf(path))]);
  });
  const warned = useMemo(() => warningsOf(warnings), [warnings]);
  const counts = useMemo(() => countChosen(chosen), [chosen]);
  const filtered = text.trim() !== "";
  const shown = useMemo((): FileNode => {
    if (!filtered) return root;
    const found = filesWith(files, text);
    const children = found.map(({ path, bytes }) => ({ name: path, path, files: 1, bytes }));
    return { ...root, files: found.length, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0), children };
  }, [filtered, files, root, text]);
  const chosenOf = (node: FileNode) => {
    if (!node.children) return chosen.has(node.path) ? 1 : 0;
    if (filtered) return node.children.filter(({ path }) => chosen.has(path)).length;
    return counts.get(node.path) ?? 0;
  };
  const tree: Tree = {
    chosenOf,
    warningsOf: (path) => warned.get(path) ?? [],
    isOpen: (path) => open.has(path),
    onOpen: (path, on) => {
      const next = new Set(open);
      if (on) next.add(path);
      else next.delete(path);
      setOpen(next);
    },
    onChoose: (node, on) => onChoose(choose(chosen, node, on)),
  };
  return (
    <div className="up-part">
      {files.length > many && (
        <SearchBox label={messages.filter} placeholder={messages.filter} text={text} onSearch={setText} />
      )}
      <p className="visually-hidden" role="status">
        {filtered && messages.matching(shown.files)}
      </p>
      <ul className="pb-tree" aria-label={messages.label} onKeyDown={moveInTree}>
        <Branch
          key={text}
          node={shown}
          name={filtered ? messages.matching(shown.files) : messages.all}
          topmost
          tree={tree}
        />
      </ul>
    </div>
  );
}

interface Tree {
  chosenOf: (node: FileNode) => number;
  warningsOf: (path: string) => readonly SecretWarning[];
  isOpen: (path: string) => boolean;
  onOpen: (path: string, on: boolean) => void;
  onChoose: (node: FileNode, on: boolean) => void;
}

interface BranchProps {
  node: FileNode;
  name?: string;
  /** It is always open. */
  topmost?: boolean;
  tree: Tree;
}

function Branch({ node, name = node.name, topmost = false, tree }: BranchProps) {
  const [most, setMost] = useState(step);
  const { children, path } = node;
  const isOpen = children !== undefined && (topmost || tree.isOpen(path));
  const rest = (children?.length ?? 0) - most;
  return (
    <li>
      <Row
        node={node}
        name={name}
        topmost={topmost}
        isOpen={isOpen}
        chosen={tree.chosenOf(node)}
        warnings={children ? [] : tree.warningsOf(path)}
        onOpen={(on) => tree.onOpen(path, on)}
        onChoose={(on) => tree.onChoose(node, on)}
      />
      {isOpen && children.length > 0 && (
        <ul>
          {children.slice(0, most).map((child) => (
            <Branch key={child.path} node={child} tree={tree} />
          ))}
          {rest > 0 && (
            <li>
              <button type="button" className="pb-more" onClick={() => setMost(most + step)}>
                {messages.more(Math.min(rest, step))}
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

interface RowProps {
  node: FileNode;
  name: string;
  topmost: boolean;
  isOpen: boolean;
  /** How many of its files are chosen. */
  chosen: number;
  warnings: readonly SecretWarning[];
  onOpen: (on: boolean) => void;
  onChoose: (on: boolean) => void;
}

function Row({ node, name, topmost, isOpen, chosen, warnings, onOpen, onChoose }: RowProps) {
  const id = useId();
  const { children, files, bytes } = node;
  const partly = chosen > 0 && chosen < files;
  const size = fileSize(bytes);
  return (
    <>
      <div className="pb-row">
        {children && !topmost ? (
          <button
            type="button"
            className="pb-open"
            aria-expanded={isOpen}
            aria-label={messages.open(name)}
            onClick={() => onOpen(!isOpen)}
          >
            <Icon name="chevronDown" size={16} />
          </button>
        ) : (
          !topmost && <span className="pb-open" />
        )}
        <label className="pb-file">
          <input
            type="checkbox"
            checked={files > 0 && chosen === files}
            disabled={files === 0}
            ref={(input) => {
              if (input) input.indeterminate = partly;
            }}
            {...(warnings.length > 0 && { "aria-describedby": id })}
            onChange={() => onChoose(chosen < files)}
          />
          <bdi className="pb-name">{name}</bdi>
          <span className="up-quiet">
            {children ? (partly ? messages.some(chosen, files, size) : messages.size(files, size)) : size}
          </span>
        </label>
      </div>
      {warnings.length > 0 && (
        <ul id={id} className="pb-warned">
          {warnings.map(({ kind, line, cell }) => (
            <li key={`${kind} ${line} ${cell}`}>
              {secretsMessages.kinds[kind]} {secretsMessages.place(line, cell)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Up and down move among the checkboxes; right and left open and close a folder. */
function moveInTree(event: KeyboardEvent<HTMLUListElement>) {
  const { currentTarget, target, key } = event;
  if (!(target instanceof HTMLInputElement)) return;
  const boxes = [...currentTarget.querySelectorAll<HTMLInputElement>("input:enabled")];
  const at = boxes.indexOf(target);
  if (key === "ArrowDown") boxes[at + 1]?.focus();
  else if (key === "ArrowUp") boxes[at - 1]?.focus();
  else if (key === "ArrowRight" || key === "ArrowLeft") {
    const button = target.closest(".pb-row")?.querySelector<HTMLButtonElement>("button");
    if (button?.ariaExpanded === String(key === "ArrowLeft")) button.click();
  } else return;
  event.preventDefault();
}
