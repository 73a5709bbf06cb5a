import { useQuery } from "@tanstack/react-query";
import { folderQuery } from "@/features/entry/files/queries";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { isNotebook } from "@/features/sessions/versions/place";
import { FieldFrame } from "@/ui/form/Field";
import { Link, useLocation, useNavigate } from "@/ui/router";
import { Fact } from "./Fact";
import { jobFormMessages as messages } from "./JobForm.messages";
import { type Source, writeSource } from "./source";
import type { Origin } from "./useSource";

interface SourceFieldsProps {
  source: Source;
  origin: Origin;
  /** What is wrong with the file. */
  error: string | undefined;
}

/** Which notebook is run, and a choice among those of a repository's root. */
export function SourceFields({ source, origin, error }: SourceFieldsProps) {
  const { of, file, ref } = source;
  const repository = origin.entry?.type === "REPOSITORY" ? origin.entry.id : undefined;
  const navigate = useNavigate();
  const { state } = useLocation();
  const { data: folder } = useQuery({ ...folderQuery(repository ?? "", ""), enabled: repository !== undefined });
  const found = folder?.entries.filter(({ type, name }) => type === "file" && isNotebook(name)) ?? [];
  const paths = [...new Set([...found.map(({ path }) => path), ...(file === "" ? [] : [file])])];
  const choosable = repository !== undefined && (found.length > 0 || file === "" || error !== undefined);
  return (
    <>
      <dl className={projectStyles.list} aria-label={messages.source}>
        <Fact name={messages[of]}>
          <Link to={origin.page}>
            <bdi>{origin.name}</bdi>
          </Link>
        </Fact>
        {file !== "" && !choosable && (
          <Fact name={messages.file}>
            <code>
              <bdi>{file}</bdi>
            </code>{" "}
            {of === "session" && messages.newest}
          </Fact>
        )}
        {ref !== "" && (
          <Fact name={messages.ref}>
            <code>
              <bdi>{ref}</bdi>
            </code>
          </Fact>
        )}
      </dl>
      {choosable && (
        <FieldFrame label={messages.file} error={error}>
          {(control) => (
            <select
              {...control}
              value={file}
              onChange={(event) =>
                navigate({ search: writeSource({ ...source, file: event.target.value }) }, { replace: true, state })
              }
            >
              <option value="">{messages.opened}</option>
              {paths.map((path) => (
                <option key={path} value={path}>
                  {path}
                </option>
              ))}
            </select>
          )}
        </FieldFrame>
      )}
    </>
  );
}
