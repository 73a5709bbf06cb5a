import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { citationFormats, cite } from "@/lib/citation";
import { CopyText } from "@/ui/CopyText";
import { Dialog } from "@/ui/Dialog";
import { Tabs } from "@/ui/Tabs";
import styles from "./CiteDialog.module.css";
import { cslItem } from "./cslItem";
import { kindOf } from "./kinds";

/** The citation of an entry in the formats that people and their programs take. */
export function CiteDialog({ resource, onClose }: { resource: Resource; onClose: () => void }) {
  const item = cslItem(resource, useConfig().product, location.origin);
  return (
    <Dialog title={`Cite this ${kindOf(resource.type).label.toLowerCase()}`} onClose={onClose}>
      <Tabs
        label="Formats"
        tabs={citationFormats.map((format) => ({
          name: format,
          content: <CopyText label={`citation as ${format}`} text={cite(item, format)} />,
        }))}
      />
      <p className={styles.note}>
        Names are read from the authors' e-mail addresses, the year from the day when it was added here. Check them.
      </p>
    </Dialog>
  );
}
