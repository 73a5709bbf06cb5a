import { useQuery } from "@tanstack/react-query";
import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { kindOf } from "@/features/catalog/kinds";
import { citationQuery } from "@/features/catalog/queries";
import { citationFormats, cite } from "@/lib/citation";
import { CopyText } from "@/ui/CopyText";
import { Dialog } from "@/ui/Dialog";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Tabs } from "@/ui/Tabs";
import { citeDialogMessages as messages } from "./CiteDialog.messages";
import styles from "./CiteDialog.module.css";
import { cslItem } from "./cslItem";

/** The citation of an entry in several formats, from its repository's citation file if there is one. */
export function CiteDialog({ resource, onClose }: { resource: Resource; onClose: () => void }) {
  const { product, site } = useConfig();
  const own = cslItem(resource, site.publisher?.name ?? product, location.origin);
  const { data, isLoading } = useQuery({ ...citationQuery(resource.id), enabled: resource.type === "REPOSITORY" });
  const item = data?.item ?? own;
  return (
    <Dialog title={messages.title(kindOf(resource.type).label)} onClose={onClose}>
      {isLoading ? (
        <SkeletonPlace label={messages.loading} className={styles.waiting}>
          <Skeleton height="40px" />
          <Skeleton height="12rem" />
        </SkeletonPlace>
      ) : (
        <>
          <Tabs
            label={messages.formats}
            tabs={citationFormats.map((format) => ({
              name: format,
              content: <CopyText label={messages.copy(format)} text={cite(item, format)} />,
            }))}
          />
          <p className={styles.note}>{data?.item ? messages.asAsked : messages.guessed}</p>
        </>
      )}
    </Dialog>
  );
}
