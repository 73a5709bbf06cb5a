import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { useConfig } from "@/api/config";
import { type TypedAddress, typedAddress } from "@/lib/repositoryAddress";
import { Button } from "@/ui/Button";
import { Coded } from "@/ui/Coded";
import { CopyText } from "@/ui/CopyText";
import { Filled } from "@/ui/Filled";
import { Field } from "@/ui/form/Field";
import { ProgressLine } from "@/ui/ProgressLine";
import { Link } from "@/ui/router";
import styles from "./AddRepositoryPage.module.css";
import { addRepositoryMessages as words } from "./addRepository.messages";
import { addressFault, DescriptorFailure, showsExample } from "./DescriptorFailure";
import { descriptorFailureMessages } from "./DescriptorFailure.messages";

interface AddressStepProps {
  heading: RefObject<HTMLHeadingElement | null>;
  address: TypedAddress;
  onAddress: (address: TypedAddress) => void;
  /** Why the last try failed. */
  error: unknown;
  pulling: boolean;
  /** The person canceled the last attempt. */
  cancelled: boolean;
  onPull: () => void;
  onCancel: () => void;
  file: string;
  example: string;
}

/** The first step of adding a repository: where it is. */
export function AddressStep({ heading, address, onAddress, error, pulling, cancelled, ...step }: AddressStepProps) {
  const { file, example, onPull, onCancel } = step;
  const { descriptorNames } = useConfig();
  const field = useRef<HTMLInputElement>(null);
  const fault = addressFault(error);
  useEffect(() => {
    if (fault !== undefined || cancelled) field.current?.focus();
  }, [fault, cancelled]);
  const empty = address.text.trim() === "";

  return (
    <>
      <h2 id="step" ref={heading} tabIndex={-1}>
        {words.where}
      </h2>
      <p>
        <Coded text={words.from(descriptorNames)} />
      </p>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!empty && !pulling) onPull();
        }}
      >
        {/* An error is announced when it appears, because the focus may already be in the field. */}
        <div aria-live="assertive">
          <Field
            ref={field}
            label={words.address}
            help={
              <Filled
                text={words.addressHelp}
                values={{ connect: <Link to="/account/connections">{words.connect}</Link> }}
              />
            }
            error={fault}
            inputMode="url"
            placeholder={words.addressHint}
            value={address.text}
            onChange={(event) => onAddress(typedAddress(address, event.target.value))}
            autoCapitalize="off"
            spellCheck={false}
          />
        </div>
        <div className={styles.actions}>
          {pulling && <Button onClick={onCancel}>{words.cancel}</Button>}
          <Button type="submit" variant="primary" disabled={empty} busy={pulling}>
            {pulling ? words.pulling(file) : words.pull(file)}
          </Button>
        </div>
        <div className={styles.progress}>
          {pulling && <ProgressLine />}
          <Status>{pulling ? words.asking : cancelled ? words.cancelled : ""}</Status>
        </div>
      </form>
      {Boolean(error) && fault === undefined && (
        <DescriptorFailure error={error} file={file} example={example} address={address.text} />
      )}
      {!showsExample(error) && (
        <details className={styles.file}>
          <summary>{words.fileLike(file)}</summary>
          <CopyText label={descriptorFailureMessages.exampleLabel} text={example} />
        </details>
      )}
    </>
  );
}

function Status({ children }: { children: ReactNode }) {
  return (
    <p role="status" className={styles.note}>
      {children}
    </p>
  );
}
