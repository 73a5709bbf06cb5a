import { Icon } from "@/ui/Icon";
import { Tooltip } from "@/ui/Tooltip";
import { resourcePageMessages as messages } from "./ResourcePage.messages";
import styles from "./ResourcePage.module.css";

/** Says that an entry is private, and what that means. */
export function PrivateLabel() {
  return (
    <Tooltip text={messages.privateDetail} beside>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach the explanation. */}
      <span tabIndex={0} role="img" aria-label={messages.private} className={styles.lock}>
        <Icon name="lock" size={16} />
        {messages.private}
      </span>
    </Tooltip>
  );
}
