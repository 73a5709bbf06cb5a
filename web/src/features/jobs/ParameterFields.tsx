import type { UseQueryResult } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { DeclaredParameters } from "@/api/types";
import runStyles from "@/features/entry/runs/Runs.module.css";
import { Button } from "@/ui/Button";
import { Filled } from "@/ui/Filled";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { LogText } from "@/ui/LogText";
import { Note } from "@/ui/Note";
import { FormPart } from "./FormPart";
import { ParameterField } from "./ParameterField";
import type { Changes, Typed } from "./parameters";
import { parameterMessages as messages } from "./parameters.messages";

interface ParameterFieldsProps {
  declared: UseQueryResult<DeclaredParameters>;
  changes: Changes;
  /** By the fields of the request: those of parameters are named parameters.NAME. */
  faults: Partial<Record<string, string>>;
  onChange: (name: string, typed: Typed) => void;
  onReset: (name: string) => void;
  onFault: (name: string, fault: string) => void;
}

/** A field for each value that a notebook can be run with. */
export function ParameterFields({ declared, changes, faults, onChange, onReset, onFault }: ParameterFieldsProps) {
  const { data, error, isFetching, refetch } = declared;
  if (error) {
    return (
      <Note kind="error" role="alert" title={messages.failed}>
        <p>
          {messageOf(error)} {messages.failedMeans}
        </p>
        <div>
          <Button size="small" busy={isFetching} onClick={() => void refetch()}>
            {messages.retry}
          </Button>
        </div>
      </Note>
    );
  }
  if (!data) {
    return (
      <SkeletonPlace label={messages.loading} className={runStyles.stack}>
        <Skeleton height="64px" />
        <Skeleton height="64px" />
      </SkeletonPlace>
    );
  }
  const { parameters, unread = [] } = data;
  return (
    <>
      {parameters.length === 0 ? (
        <p>
          <Filled
            text={messages.noneDeclared}
            values={{ example: <code>{messages.example}</code>, tag: <code>{messages.tag}</code> }}
          />
        </p>
      ) : (
        <FormPart title={messages.title}>
          {parameters.map((parameter) => (
            <ParameterField
              key={parameter.name}
              parameter={parameter}
              change={Object.hasOwn(changes, parameter.name) ? changes[parameter.name] : undefined}
              error={faults[`parameters.${parameter.name}`]}
              onChange={(typed) => onChange(parameter.name, typed)}
              onReset={() => onReset(parameter.name)}
              onFault={(fault) => onFault(parameter.name, fault)}
            />
          ))}
        </FormPart>
      )}
      {unread.length > 0 && (
        <details className={runStyles.log}>
          <summary>{messages.unread}</summary>
          <LogText label={messages.unread}>{unread.join("\n")}</LogText>
        </details>
      )}
    </>
  );
}
