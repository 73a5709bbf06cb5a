import { hasCode, messageOf, Problem } from "@/api/problem";
import { Alert } from "@/ui/Alert";
import { CopyText } from "@/ui/CopyText";
import { descriptorFailureMessages as words } from "./DescriptorFailure.messages";
import styles from "./DescriptorFailure.module.css";
import { DraftFile } from "./DraftFile";
import { PrivateHint } from "./PrivateHint";

interface DescriptorFailureProps {
  error: unknown;
  /** The name of descriptors in messages. */
  file: string;
  /** A valid descriptor as an example. */
  example: string;
  /** Of the repository. */
  address: string;
}

/** What is wrong with the address; undefined when something else failed. */
export function addressFault(error: unknown): string | undefined {
  if (!(error instanceof Problem) || error.status !== 422) return undefined;
  return error.fields[0]?.location === "query.githubUrl" ? error.message : undefined;
}

/** Whether the failure is shown together with an example of a valid descriptor. */
export function showsExample(error: unknown): boolean {
  if (!(error instanceof Problem) || addressFault(error) !== undefined) return false;
  return error.status === 404 || (error.status === 422 && error.fields.length > 0);
}

/** Explains why a descriptor couldn't be pulled: the file is missing, or has errors, listed by line. */
export function DescriptorFailure({ error, file, example, address }: DescriptorFailureProps) {
  const fields = error instanceof Problem ? error.fields : [];
  const draft = error instanceof Problem ? error.draft : undefined;
  const [first] = fields;
  if (error instanceof Problem && error.status === 422 && first) {
    return (
      <>
        <Alert failed title={words.faults(fields.length)}>
          <ul className={styles.faults} aria-label={words.list}>
            {fields.map(({ location, message }) => (
              <li key={location + message}>
                <code>{location}</code>
                <span>{message}</span>
              </li>
            ))}
          </ul>
          <p>{words.correct}</p>
        </Alert>
        {draft ? <DraftFile draft={draft} /> : <Example text={example} />}
      </>
    );
  }
  const absent = error instanceof Problem && error.status === 404;
  return (
    <>
      {absent ? (
        <Alert failed title={words.notFetched(file)}>
          <p>{first?.message}</p>
          {hasCode(error, "descriptor_missing") && <PrivateHint address={address} />}
        </Alert>
      ) : (
        <Alert failed title={messageOf(error)}>
          <p>{words.notFetched(file)}</p>
        </Alert>
      )}
      {absent && (draft ? <DraftFile draft={draft} /> : <Example text={example} />)}
    </>
  );
}

function Example({ text }: { text: string }) {
  return (
    <section className={styles.example} aria-labelledby="example">
      <h3 id="example">{words.example}</h3>
      <CopyText label={words.exampleLabel} text={text} />
    </section>
  );
}
