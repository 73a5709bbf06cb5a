import { useEffect, useRef, useState } from "react";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { type ChosenFiles, type LeftOutFile, readChosen, readDropped } from "./chosenFiles";
import { dropMessages as messages } from "./Drop.messages";
import type { UploadContents } from "./shapes";

interface DropProps {
  /** Adds what was chosen, and returns what it leaves out besides. */
  onChoose: (chosen: ChosenFiles) => LeftOutFile[];
}

const foldersCanBeChosen = () => "webkitdirectory" in HTMLInputElement.prototype;

/** A place to drop files and folders, with buttons that do the same. */
export function Drop({ onChoose }: DropProps) {
  const place = useRef<HTMLElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [reading, setReading] = useState(false);
  const [leftOut, setLeftOut] = useState<LeftOutFile[]>([]);

  const take = (chosen: ChosenFiles) => setLeftOut([...chosen.leftOut, ...onChoose(chosen)]);
  const choose = (input: HTMLInputElement) => {
    take(readChosen(input.files ?? []));
    input.value = ""; // so that the same can be chosen again
  };
  const dropped = useRef<(event: DragEvent) => void>(() => {});
  useEffect(() => {
    dropped.current = (event) => {
      const items = event.dataTransfer?.items;
      if (!items || reading) return;
      setReading(true);
      void readDropped([...items])
        .then(take)
        .finally(() => setReading(false));
    };
  });

  useEffect(() => {
    const inside = ({ target }: DragEvent) => target instanceof Node && place.current?.contains(target) === true;
    // Beside the place, the browser would leave the page and open the file.
    const drag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(inside(event));
    };
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(false);
      if (inside(event)) dropped.current(event);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    window.addEventListener("dragover", drag);
    window.addEventListener("drop", drop);
    window.addEventListener("dragleave", leave);
    return () => {
      window.removeEventListener("dragover", drag);
      window.removeEventListener("drop", drop);
      window.removeEventListener("dragleave", leave);
    };
  }, []);

  return (
    <div className="up-part">
      <section ref={place} className="up-drop" aria-label={messages.label} data-over={over}>
        <Icon name="upload" size={28} />
        <p>{messages.drop}</p>
        <p className="up-quiet">{messages.or}</p>
        <div className="up-bar">
          <Button busy={reading} onClick={() => files.current?.click()}>
            <Icon name="file" />
            {messages.files}
          </Button>
          {foldersCanBeChosen() && (
            <Button busy={reading} onClick={() => folder.current?.click()}>
              <Icon name="folder" />
              {messages.folder}
            </Button>
          )}
        </div>
        <input ref={files} type="file" multiple hidden onChange={({ currentTarget }) => choose(currentTarget)} />
        <input
          ref={(input) => {
            folder.current = input;
            input?.setAttribute("webkitdirectory", "");
          }}
          type="file"
          multiple
          hidden
          onChange={({ currentTarget }) => choose(currentTarget)}
        />
        <p role="status" className="up-quiet">
          {reading && messages.reading}
        </p>
      </section>
      <LeftOut leftOut={leftOut} />
    </div>
  );
}

/** What isn't uploaded, and why; nothing if that is nothing. */
export function LeftOut({ leftOut }: { leftOut: readonly (LeftOutFile | UploadContents["leftOut"][number])[] }) {
  return (
    <div role="status">
      {leftOut.length > 0 && (
        <details className="up-more">
          <summary>{messages.leftOut(leftOut.length)}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard too. */}
          <ul className="up-files" tabIndex={0} aria-label={messages.leftOut(leftOut.length)}>
            {leftOut.slice(0, 1000).map(({ path, reason }) => (
              <li key={path}>
                <bdi>{path}</bdi>
                <span className="up-quiet">{messages.reasonOf(reason)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
