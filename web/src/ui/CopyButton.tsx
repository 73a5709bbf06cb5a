import { type ReactNode, useEffect, useState } from "react";
import { toastDuration } from "@/lib/constants";
import { Button } from "./Button";
import { copyMessages as words } from "./copy.messages";
import { Icon, type IconName } from "./Icon";
import { toast } from "./toast";

interface CopyButtonProps {
  /** What is copied. */
  text: string;
  /** The name of the button, for instance "Copy clone command". */
  label: string;
  icon?: IconName;
  size?: "medium" | "small";
  children?: ReactNode;
}

/** A button that copies a text, and says for a moment that it did. */
export function CopyButton({ text, label, icon = "copy", size = "medium", children = words.copy }: CopyButtonProps) {
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
      toast.error(words.failed, words.failedBody);
    }
  };

  return (
    <>
      <Button size={size} aria-label={label} onClick={copy}>
        <Icon name={copied ? "check" : icon} size={size === "small" ? 16 : 18} />
        {children !== null && (copied ? words.copied : children)}
      </Button>
      <span className="visually-hidden" role="status">
        {copied ? words.copied : ""}
      </span>
    </>
  );
}
