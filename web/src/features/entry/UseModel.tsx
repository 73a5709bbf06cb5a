import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { Button, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import styles from "./ResourceUse.module.css";
import { useModelMessages as messages } from "./UseModel.messages";
import { workflowAddress } from "./workflowAddress";

/** Runs a model on the workflow platform. */
export function UseModel({ model }: { model: Resource }) {
  const config = useConfig();
  const { name: platform } = config.workflow;
  const address = workflowAddress(model, config);
  const text = messages.create(model.name, model.version, platform);
  return (
    <>
      <p>{messages.modelRuns(platform, address !== undefined)}</p>
      <div className={styles.part}>
        {address === undefined ? (
          <>
            <Button unavailable={messages.noAddress(platform)}>{text}</Button>
            {/* The button says it too, to those who hear it. */}
            <p className={styles.name} aria-hidden="true">
              {messages.noAddress(platform)}
            </p>
          </>
        ) : (
          <LinkButton to={address} newTab variant="primary">
            {text}
            <Icon name="external" />
          </LinkButton>
        )}
      </div>
    </>
  );
}
