import { messageOf, Problem } from "@/api/problem";
import { Alert } from "@/ui/Alert";
import { Coded } from "@/ui/Coded";
import { CopyText } from "@/ui/CopyText";
import styles from "./DescriptorFailure.module.css";
import { descriptorFailureMessages as words } from "./messages";

interface DescriptorFailureProps {
  error: unknown;
  /** The name of descriptors that people are told. */
  file: string;
  /** A descriptor that would do. */
  example: string;
}

/** Why a descriptor could not be pulled: a wrong address, no file, or what is wrong in it, line by line. */
export function DescriptorFailure({ error, file, example }: DescriptorFailureProps) {
  const fields = error instanceof Problem ? error.fields : [];
  const [first] = fields;
  if (first?.location === "query.githubUrl" && error instanceof Problem && error.status === 422) {
    return (
      <Alert failed title={error.message}>
        <p>
          <Coded text={words.address} />
        </p>
      </Alert>
    );
  }
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
          <p>{words.mend}</p>
        </Alert>
        <Example text={example} />
      </>
    );
  }
  const absent = error instanceof Problem && error.status === 404;
  return (
    <>
      <Alert failed title={words.notFetched(file)}>
        <p>{absent ? first?.message : messageOf(error)}</p>
      </Alert>
      {absent && <Example text={example} />}
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
