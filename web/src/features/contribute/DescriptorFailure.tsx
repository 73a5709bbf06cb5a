import { messageOf, Problem } from "@/api/problem";
import { count } from "@/lib/format";
import { Alert } from "@/ui/Alert";
import { CopyText } from "@/ui/CopyText";
import styles from "./DescriptorFailure.module.css";

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
          The address of a repository looks like <code>https://github.com/owner/name</code>.
        </p>
      </Alert>
    );
  }
  if (error instanceof Problem && error.status === 422 && first) {
    return (
      <>
        <Alert failed title={`The descriptor needs mending in ${count(fields.length, "place", "places")}.`}>
          <ul className={styles.faults} aria-label="What to mend">
            {fields.map(({ location, message }) => (
              <li key={location + message}>
                <code>{location}</code>
                <span>{message}</span>
              </li>
            ))}
          </ul>
          <p>Mend the file, push it, and pull it again.</p>
        </Alert>
        <Example text={example} />
      </>
    );
  }
  const absent = error instanceof Problem && error.status === 404;
  return (
    <>
      <Alert failed title={`Failed to fetch ${file}. Please check the URL.`}>
        <p>{absent ? first?.message : messageOf(error)}</p>
      </Alert>
      {absent && <Example text={example} />}
    </>
  );
}

function Example({ text }: { text: string }) {
  return (
    <section className={styles.example} aria-labelledby="example">
      <h3 id="example">A descriptor that would do</h3>
      <CopyText label="example" text={text} />
    </section>
  );
}
