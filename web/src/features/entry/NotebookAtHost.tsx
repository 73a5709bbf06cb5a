import { useState } from "react";
import type { NotebookPage } from "@/api/types";
import { Button, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { NotebookFrame } from "@/ui/NotebookFrame";
import { notebookAtHostMessages as messages } from "./NotebookAtHost.messages";
import styles from "./NotebookView.module.css";

interface NotebookAtHostProps {
  page: NotebookPage;
  title: string;
}

/** A notebook that is a web page. Its host learns nothing of a reader who doesn't ask for it. */
export function NotebookAtHost({ page: { url, host, frameUrl }, title }: NotebookAtHostProps) {
  const [asked, setAsked] = useState(false);
  if (asked && frameUrl) return <NotebookFrame address={frameUrl} fullPage={url} title={title} page />;
  return (
    <div className={styles.offer}>
      <p>
        {messages.where(host)} {frameUrl ? messages.learns(host) : messages.forbids(host)}
      </p>
      <div className={styles.offered}>
        {frameUrl && <Button onClick={() => setAsked(true)}>{messages.show}</Button>}
        <LinkButton to={url} newTab>
          {messages.open(host)}
          <Icon name="external" />
        </LinkButton>
      </div>
    </div>
  );
}
