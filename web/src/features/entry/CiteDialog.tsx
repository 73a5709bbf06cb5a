import { useQuery } from "@tanstack/react-query";
import { useConfig } from "@/api/config";
import type { Resource, Run } from "@/api/types";
import { kindOf } from "@/features/catalog/kinds";
import { citationQuery } from "@/features/catalog/queries";
import { type CslItem, citationFormats, cite } from "@/lib/citation";
import { CopyText } from "@/ui/CopyText";
import { Dialog } from "@/ui/Dialog";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Tabs } from "@/ui/Tabs";
import { citeDialogMessages as messages } from "./CiteDialog.messages";
import styles from "./CiteDialog.module.css";
import { askedItem, cslItem, namesAreGuessed, runItem } from "./cslItem";

/** The citation of an entry in several formats, from its repository's citation file if there is one. */
export function CiteDialog({ resource, onClose }: { resource: Resource; onClose: () => void }) {
  const own = cslItem(resource, usePublisher(), location.origin);
  const { data, isLoading } = useQuery({ ...citationQuery(resource.id), enabled: resource.type === "REPOSITORY" });
  const asked = data?.item && askedItem(data.item, own);
  const note = asked ? messages.asAsked : namesAreGuessed(resource) ? messages.guessed : messages.ofEntry;
  return (
    <Dialog title={messages.title(kindOf(resource.type).label)} onClose={onClose}>
      {isLoading ? (
        <SkeletonPlace label={messages.loading} className={styles.waiting}>
          <Skeleton height="40px" />
          <Skeleton height="12rem" />
        </SkeletonPlace>
      ) : (
        <Citation item={asked ?? own} note={note} />
      )}
    </Dialog>
  );
}

interface CiteRunDialogProps {
  run: Run;
  resource: Resource;
  onClose: () => void;
}

/** The citation of a run by the catalog: of its crate. */
export function CiteRunDialog({ run, resource, onClose }: CiteRunDialogProps) {
  const item = runItem(run, resource, usePublisher(), location.origin);
  return (
    <Dialog title={messages.runTitle} onClose={onClose}>
      <Citation item={item} note={namesAreGuessed(resource) ? messages.ofRunGuessed : messages.ofRun} />
    </Dialog>
  );
}

function usePublisher(): string {
  const { product, site } = useConfig();
  return site.publisher?.name ?? product;
}

function Citation({ item, note }: { item: CslItem; note: string }) {
  return (
    <>
      <Tabs
        label={messages.formats}
        tabs={citationFormats.map((format) => ({
          name: format,
          content: <CopyText label={messages.copy(format)} text={cite(item, format)} />,
        }))}
      />
      <p className={styles.note}>{note}</p>
    </>
  );
}
