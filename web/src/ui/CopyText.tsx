import { useEffect, useState } from "react";
import { toastDuration } from "@/lib/constants";
import { Button } from "./Button";
import styles from "./CopyText.module.css";
import { Icon } from "./Icon";
import { toast } from "./toast";

interface CopyTextProps {
  /** What the text is, for instance "clone command". */
  label: string;
  text: string;
}

/** A text to be taken elsewhere, as it is, with a button that copies it. */
export function CopyText({ label, text }: CopyTextProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), toastDuration.success);
    return () => window.clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toast.error("Error copying", "The browser does not allow it here. Select the text and copy it by hand.");
    }
  };

  return (
    <div className={styles.frame}>
      <pre className={styles.text}>{text}</pre>
      <Button size="small" aria-label={`Copy ${label}`} onClick={copy}>
        <Icon name={copied ? "check" : "copy"} size={16} />
        {copied ? "Copied" : "Copy"}
      </Button>
      <span className="visually-hidden" role="status">
        {copied ? "Copied" : ""}
      </span>
    </div>
  );
}
