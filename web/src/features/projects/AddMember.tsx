import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import type { Member, Project } from "@/api/types";
import { Button } from "@/ui/Button";
import { Field, FieldFrame } from "@/ui/form/Field";
import { toast } from "@/ui/toast";
import { addressFault, addressRefusal } from "./memberAddress";
import { setMember } from "./memberCalls";
import { membersMessages as messages } from "./members.messages";
import { membersQuery } from "./membersQuery";
import picker from "./PartPicker.module.css";
import styles from "./ProjectPage.module.css";

/** Shares a project with somebody. */
export function AddMember({ project: { id }, members }: { project: Project; members: Member[] }) {
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Member["role"]>("viewer");
  const [fault, setFault] = useState<string>();
  const refuse = (reason: string | undefined) => {
    setFault(reason);
    input.current?.focus();
  };
  const { mutate, isPending } = useMutation({
    mutationFn: () => setMember(id, email.trim(), role),
    onSuccess: async (added) => {
      toast.success(messages.added, messages.nowIs(added.email, messages.roles[added.role]));
      setEmail("");
      input.current?.focus();
      await queries.invalidateQueries({ queryKey: membersQuery(id).queryKey });
    },
    onError: (error) => refuse(addressRefusal(error)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const found = addressFault(email, members);
    if (found === undefined) mutate();
    else refuse(found);
  };
  return (
    <form className={styles.columns} aria-label={messages.adds} onSubmit={submit} noValidate>
      <Field
        ref={input}
        type="email"
        label={messages.email}
        error={fault}
        value={email}
        onChange={(event) => {
          setEmail(event.target.value);
          setFault(undefined);
        }}
      />
      <FieldFrame label={messages.role}>
        {(control) => (
          <div className={picker.row}>
            <select
              {...control}
              value={role}
              onChange={(event) => setRole(event.target.value === "editor" ? "editor" : "viewer")}
            >
              {Object.entries(messages.choices).map(([one, text]) => (
                <option key={one} value={one}>
                  {text}
                </option>
              ))}
            </select>
            <Button type="submit" busy={isPending}>
              {messages.add}
            </Button>
          </div>
        )}
      </FieldFrame>
    </form>
  );
}
