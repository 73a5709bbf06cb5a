import { useState } from "react";
import { hasCode, Problem, type ProblemField } from "@/api/problem";
import { publishPageMessages as messages } from "./PublishPage.messages";
import { publish } from "./queries";
import { refusalOf } from "./refusal";
import type { SecretsChoice } from "./SecretsDialog";
import type { Publication } from "./shapes";

type Wish = Pick<Publication, "as" | "note" | "version" | "paths">;

/** What is asked before files are published that look as if they had a secret in them. */
export interface SecretsQuestion {
  files: readonly ProblemField[];
  answer: (choice: SecretsChoice) => void;
}

/**
 * Publishes files of a session, and asks about those that look as if they had a secret in them. Without some files it publishes
 * what `without` leaves. The result is undefined if somebody thought better of it.
 */
export function usePublish(session: string, without: (files: readonly string[]) => string[]) {
  const [question, setQuestion] = useState<SecretsQuestion>();

  const ask = (files: readonly ProblemField[]) =>
    new Promise<SecretsChoice>((resolve) => {
      const answer = (choice: SecretsChoice) => {
        setQuestion(undefined);
        resolve(choice);
      };
      setQuestion({ files, answer });
    });

  const send = async (wish: Wish) => {
    let [paths, confirm] = [wish.paths, false];
    const left: string[] = [];
    for (;;) {
      try {
        return await publish(session, { ...wish, paths, confirm });
      } catch (error) {
        if (!hasCode(error, "looks_secret")) throw refusalOf(error);
        const choice = await ask(error.fields);
        if (choice === "cancel") return undefined;
        confirm = choice === "all";
        if (choice === "leave") {
          left.push(...error.fields.map(({ location }) => location));
          paths = without(left);
        }
        if (paths.length === 0) throw new Problem(0, messages.noneLeft);
      }
    }
  };
  return { question, send };
}
