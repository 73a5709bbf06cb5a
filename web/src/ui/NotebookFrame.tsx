import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button, LinkButton } from "./Button";
import { Icon } from "./Icon";
import { Skeleton, SkeletonPlace } from "./Loading";
import { notebookFrameMessages as words } from "./NotebookFrame.messages";
import styles from "./NotebookFrame.module.css";
import { toldIn } from "./notebookHeight";

/** The height of a frame at first, in pixels. */
const firstHeight = 800;

interface NotebookFrameProps {
  address: string;
  /** The notebook alone, for a tab. */
  fullPage: string;
  title: string;
  /** The frame shows a web page of another host, within a frame of its own without an origin. */
  page?: boolean;
}

/**
 * A notebook as the server renders it. The server's security policy blocks all its scripts; one of the server tells the
 * heights, and leaves the wheel to this page until the frame is clicked, because of the frame's name.
 */
export function NotebookFrame({ address, fullPage, title, page = false }: NotebookFrameProps) {
  const section = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const mark = useRef<HTMLSpanElement>(null);
  const [shown, setShown] = useState(false);
  const [height, setHeight] = useState(0);
  const [whole, setWhole] = useState(false);

  useEffect(() => {
    const listen = (message: MessageEvent) => {
      const told = toldIn(message, frame.current?.contentWindow);
      if (told.height) setHeight(told.height);
      // On paper all of it is shown.
      if (told.printed) frame.current?.style.setProperty("--printed", `${told.printed}px`);
      // A frame that shows everything can't scroll to the heading by itself.
      if (told.top && whole && mark.current) {
        mark.current.style.top = `${told.top}px`;
        mark.current.scrollIntoView();
      }
    };
    window.addEventListener("message", listen);
    return () => window.removeEventListener("message", listen);
  }, [whole]);

  const toggle = () => {
    if (whole) section.current?.scrollIntoView(); // its end is far away
    setWhole(!whole);
  };

  return (
    <div ref={section}>
      <div className={styles.actions}>
        {height > firstHeight && (
          <Button size="small" onClick={toggle}>
            {whole ? words.less : words.all}
          </Button>
        )}
        <LinkButton size="small" to={fullPage} newTab>
          {words.fullPage}
          <Icon name="external" size={16} />
        </LinkButton>
      </div>
      <div className={styles.place}>
        <iframe
          ref={frame}
          name="still"
          className={styles.frame}
          height={whole ? Math.max(height, firstHeight) : firstHeight}
          src={address}
          title={title}
          sandbox={`allow-scripts allow-popups allow-popups-to-escape-sandbox${page ? " allow-same-origin" : ""}`}
          referrerPolicy="no-referrer"
          onLoad={() => setShown(true)}
        />
        <span ref={mark} className={styles.mark} />
        {!shown && <Waiting />}
      </div>
    </div>
  );
}

/** The placeholder of a frame. */
export function NotebookPlace() {
  return (
    <div>
      <div className={styles.actions}>
        <Skeleton width="9rem" height="32px" />
      </div>
      <div className={styles.place}>
        <Waiting />
      </div>
    </div>
  );
}

/** Skeletons of text and code. */
function Waiting(): ReactNode {
  return (
    <SkeletonPlace label={words.reading} className={styles.waiting}>
      <Skeleton width="40%" height="1.5em" />
      <Skeleton height="4em" />
      <Skeleton height="9em" />
      <Skeleton height="16em" />
    </SkeletonPlace>
  );
}
