import { messageOf, Problem } from "@/api/problem";
import type { ConnectedHost } from "@/api/types";
import { FieldDialog } from "@/ui/form/FieldDialog";
import styles from "@/ui/ListRow.module.css";
import { TextLink } from "@/ui/TextLink";
import { useAddToken } from "./connectionCalls";
import { personalTokenMessages as words } from "./PersonalTokenDialog.messages";

interface PersonalTokenDialogProps {
  host: ConnectedHost;
  onClose: () => void;
}

/** Asks for a token that somebody made at a code host, and says which rights it needs. */
export function PersonalTokenDialog({ host, onClose }: PersonalTokenDialogProps) {
  const { label, tokenUrl, scopes } = host;
  const { mutate, isPending, error } = useAddToken(host.host);
  return (
    <FieldDialog
      title={words.title(label)}
      intro={
        <>
          <p>{tokenUrl ? <TextLink href={tokenUrl}>{words.make(label)}</TextLink> : words.makeThere(label)}</p>
          {scopes.length > 0 && (
            <>
              <p>{words.scopes}</p>
              <ul className={styles.line}>
                {scopes.map((scope) => (
                  <li key={scope}>
                    <code>{scope}</code>
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      }
      label={words.label}
      help={words.help}
      type="password"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={4096}
      error={error ? reason(error) : undefined}
      submit={words.submit}
      cancel={words.cancel}
      busy={isPending}
      onSubmit={(token) => mutate(token, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

function reason(error: unknown): string {
  return (error instanceof Problem && error.fields[0]?.message) || messageOf(error);
}
