import { useRef } from "react";
import type { Parameter } from "@/api/types";
import { Button } from "@/ui/Button";
import { Choice, Field, FieldFrame } from "@/ui/form/Field";
import { isChanged, isNeeded, readTyped, type Typed, typedOf } from "./parameters";
import { parameterMessages as messages } from "./parameters.messages";

interface ParameterFieldProps {
  parameter: Parameter;
  /** What was typed; undefined while it's as in the notebook. */
  change: Typed | undefined;
  error: string | undefined;
  onChange: (typed: Typed) => void;
  onReset: () => void;
  /** Gets what is wrong with the value when the field is left. */
  onFault: (fault: string) => void;
}

/** The field of a value that a notebook can be run with. */
export function ParameterField(props: ParameterFieldProps) {
  const { parameter, change, onChange, onReset } = props;
  const { name, type, nullable, help } = parameter;
  const around = useRef<HTMLDivElement>(null);
  if (type === "unknown") {
    return <Field label={name} help={sentences(help, messages.unknownWhy)} value={messages.unknown} readOnly />;
  }
  const typed = change ?? typedOf(parameter, parameter.default);
  const reset = () => {
    onReset();
    // The button goes away.
    around.current?.querySelector<HTMLElement>("input, textarea")?.focus();
  };
  return (
    <div ref={around}>
      <Control {...props} typed={typed} />
      {nullable && (
        <Choice
          type="checkbox"
          label={messages.none}
          aria-label={messages.noneOf(name)}
          checked={typed.none}
          onChange={(event) => onChange({ ...typed, none: event.target.checked })}
        />
      )}
      {change && !isNeeded(parameter) && isChanged(parameter, change) && (
        <Button size="small" variant="quiet" aria-label={messages.resetOne(name)} onClick={reset}>
          {messages.reset}
        </Button>
      )}
    </div>
  );
}

/** What the value is typed or chosen with, in the shape of its type. */
function Control({ parameter, change, typed, error, onChange, onFault }: ParameterFieldProps & { typed: Typed }) {
  const { name, type, help } = parameter;
  const frame = { label: name, error };
  const needed = isNeeded(parameter) && messages.needed;
  const disabled = typed.none;
  const leave = () => {
    const read = change && readTyped(parameter, change);
    if (read && "fault" in read) onFault(read.fault);
  };
  switch (type) {
    case "boolean":
      return (
        <Choice
          {...frame}
          type="checkbox"
          help={help}
          disabled={disabled}
          checked={typed.on}
          onChange={(event) => onChange({ ...typed, on: event.target.checked })}
        />
      );
    case "list":
    case "object":
      return (
        <FieldFrame {...frame} help={sentences(help, messages.jsonHelp[type], needed)}>
          {(control) => (
            <textarea
              {...control}
              rows={Math.min(12, Math.max(2, typed.text.split("\n").length))}
              spellCheck={false}
              disabled={disabled}
              value={typed.text}
              onChange={(event) => onChange({ ...typed, text: event.target.value })}
              onBlur={leave}
            />
          )}
        </FieldFrame>
      );
    default:
      return (
        <Field
          {...frame}
          help={sentences(help, needed)}
          {...(type !== "string" && { type: "number", step: type === "integer" ? 1 : "any" })}
          disabled={disabled}
          value={typed.text}
          onChange={(event) => onChange({ ...typed, text: event.target.value })}
          onBlur={leave}
        />
      );
  }
}

/** Texts as sentences, one after the other: those of a notebook rarely end with a period. */
function sentences(...texts: (string | undefined | false)[]): string {
  const found = texts.filter((text): text is string => typeof text === "string" && text !== "");
  return found.map((text, at) => (at < found.length - 1 && !/[.!?:]$/.test(text) ? `${text}.` : text)).join(" ");
}
