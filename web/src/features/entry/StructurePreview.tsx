import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { StructureNode } from "@/api/types";
import { useVersion, type Version } from "@/api/version";
import { Icon } from "@/ui/Icon";
import { at } from "./datasetQueries";
import { Failed, Waiting } from "./FileStates";
import { type NestedNode, nested } from "./nested";
import { structurePreviewMessages as messages } from "./StructurePreview.messages";
import styles from "./StructurePreview.module.css";

function structureQuery(id: string, path: string, version: Version) {
  return queryOptions({
    queryKey: ["datasets", id, "structure", path, version],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/dataset/structure", at(id, path, version, signal))),
  });
}

/** What a file of arrays says about itself: its groups, variables and attributes. */
export function StructurePreview({ id, path }: { id: string; path: string }) {
  const { data, error, refetch } = useQuery(structureQuery(id, path, useVersion()));
  if (error) return <Failed error={error} onRetry={() => refetch()} />;
  if (!data) return <Waiting />;
  const root = nested(data.nodes);
  const variables = data.nodes.filter(({ kind }) => kind === "VARIABLE").length;
  return (
    <section className={styles.structure} aria-label={messages.label(path)}>
      <p className={styles.note}>
        {messages.summary(messages.formats[data.format], variables, data.complete)}
        {!data.complete && ` ${messages.cut}`}
      </p>
      {root && (root.attributes ?? []).length > 0 && (
        <details className={styles.fold}>
          <summary className={styles.row}>
            <Icon name="chevronDown" size={16} />
            <span className={styles.name}>{messages.attributesOfFile}</span>
          </summary>
          <Attributes of={root} />
        </details>
      )}
      {root && root.children.length > 0 ? (
        <Members of={root} open={data.nodes.length <= openedUpTo} />
      ) : (
        <p className={styles.note}>{messages.empty}</p>
      )}
    </section>
  );
}

/** How many nodes a file may have so that its groups are open from the beginning. */
const openedUpTo = 60;

function Members({ of, open }: { of: NestedNode; open: boolean }) {
  return (
    <ul className={styles.list}>
      {of.children.map((node, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat in damaged files, places do not.
        <li key={index}>
          <Member node={node} open={open} />
        </li>
      ))}
    </ul>
  );
}

function Member({ node, open }: { node: NestedNode; open: boolean }) {
  const row = (
    <>
      <bdi className={styles.name}>{node.name}</bdi>
      <span className={styles.about}>{about(node)}</span>
    </>
  );
  if (node.children.length === 0 && (node.attributes ?? []).length === 0) {
    return <div className={styles.plain}>{row}</div>;
  }
  return (
    <details className={styles.fold} open={open && node.kind === "GROUP"}>
      <summary className={styles.row}>
        <Icon name="chevronDown" size={16} />
        {row}
      </summary>
      <Attributes of={node} />
      {node.children.length > 0 && <Members of={node} open={open} />}
    </details>
  );
}

function Attributes({ of: { attributes = [], moreAttributes = 0 } }: { of: StructureNode }) {
  if (attributes.length === 0) return null;
  return (
    <div className={styles.attributes}>
      <dl>
        {attributes.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      {moreAttributes > 0 && <p className={styles.note}>{messages.moreAttributes(moreAttributes)}</p>}
    </div>
  );
}

/** What stands behind a name: "float32, time 2 (can grow) × lat 3, in K". */
function about({ kind, type, dimensions = [], units, target, children }: NestedNode): string {
  switch (kind) {
    case "GROUP":
      return children.length === 0 ? messages.noMembers : messages.members(children.length);
    case "LINK":
      return messages.link(target ?? "");
    case "UNREADABLE":
      return messages.unreadable;
    case "TYPE":
      return [messages.type, type].filter(Boolean).join(", ");
    default: {
      const axes = dimensions.map(({ size, name, unlimited }) => {
        const axis = messages.axis(size.toLocaleString("en"), name);
        return unlimited ? `${axis} (${messages.unlimited})` : axis;
      });
      return [type, axes.join(" × ") || messages.single, units && messages.unit(units)].filter(Boolean).join(", ");
    }
  }
}
