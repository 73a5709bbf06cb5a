import type { Descriptor } from "@/api/types";
import { Button } from "@/ui/Button";
import { Coded } from "@/ui/Coded";
import styles from "./AddRepositoryPage.module.css";
import { missingMessages as words } from "./MissingStep.messages";

/** What a person decides about a descriptor that doesn't say it. */
export interface Decisions {
  privacy?: "PUBLIC";
  addAs?: "adder";
}

/** What a descriptor lacks that isn't decided yet. A private repository decides on the privacy itself. */
export function undecided(descriptor: Descriptor, decisions: Decisions) {
  return (descriptor.missing ?? []).filter((each) =>
    each === "privacy"
      ? descriptor.audience === undefined && decisions.privacy === undefined
      : decisions.addAs === undefined,
  );
}

interface MissingStepProps {
  descriptor: Descriptor;
  decisions: Decisions;
  onDecide: (decisions: Decisions) => void;
}

/** Asks only what the descriptor lacks, one click each. */
export function MissingStep({ descriptor, decisions, onDecide }: MissingStepProps) {
  const open = undecided(descriptor, decisions);
  return (
    <>
      {open.includes("privacy") && (
        <div className={styles.step}>
          <p>
            <Coded text={words.noPrivacy(descriptor.file)} />
          </p>
          <div className={styles.actions}>
            <Button variant="primary" onClick={() => onDecide({ ...decisions, privacy: "PUBLIC" })}>
              {words.addPublic}
            </Button>
          </div>
        </div>
      )}
      {open.includes("authors") && (
        <div className={styles.step}>
          <p>
            <Coded text={words.noAuthor(descriptor.file)} />
          </p>
          <div className={styles.actions}>
            <Button variant="primary" onClick={() => onDecide({ ...decisions, addAs: "adder" })}>
              {words.addedByMe}
            </Button>
          </div>
        </div>
      )}
    </>
  );
}
