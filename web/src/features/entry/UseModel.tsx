import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { Button, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import styles from "./ResourceUse.module.css";
import { useModelMessages as messages } from "./UseModel.messages";
import { workflowAddress } from "./workflowAddress";

/** Says where a model runs. */
export function UseModel({ model }: { model: Resource }) {
  const config = useConfig();
  const { name: platform } = config.workflow;
  const address = workflowAddress(model, config);
  return (
    <>
      <p>{messages.modelRuns(platform, address !== undefined)}</p>
      {/* The button says it too, to those who hear it. */}
      {address === undefined && (
        <p className={styles.name} aria-hidden="true">
          {messages.noAddress(platform)}
        </p>
      )}
    </>
  );
}

/** The button that runs a model on the workflow platform. */
export function CreateFromModel({ model }: { model: Resource }) {
  const config = useConfig();
  const { name: platform } = config.workflow;
  const address = workflowAddress(model, config);
  const text = messages.create(model.name, model.version, platform);
  if (address === undefined) return <Button unavailable={messages.noAddress(platform)}>{text}</Button>;
  return (
    <LinkButton to={address} newTab variant="primary" className={styles.create}>
      {text}
      <Icon name="external" />
    </LinkButton>
  );
}
