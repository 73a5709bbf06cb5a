import type { Resource } from "@/api/types";
import { hostName } from "@/lib/hostName";
import { Icon } from "@/ui/Icon";
import { Tooltip } from "@/ui/Tooltip";
import { privateLabelMessages as messages } from "./PrivateLabel.messages";
import styles from "./ResourcePage.module.css";

/** Says that an entry is private, and who sees it. */
export function PrivateLabel({ resource: { audience, repositoryUrl = "" } }: { resource: Resource }) {
  return (
    <Tooltip text={audience ? messages.readers(hostName(repositoryUrl) ?? "") : messages.authors} beside>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach the explanation. */}
      <span tabIndex={0} role="img" aria-label={messages.private} className={styles.lock}>
        <Icon name="lock" size={16} />
        {messages.private}
      </span>
    </Tooltip>
  );
}
