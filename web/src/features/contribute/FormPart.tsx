import { createContext, type ReactNode, useContext } from "react";
import { Button } from "@/ui/Button";
import { type EntryDraft, fieldLabels } from "./entryDraft";
import { formPartMessages as messages } from "./FormPart.messages";
import styles from "./FormPart.module.css";
import type { Offer, OfferedField } from "./offers";

interface Offers {
  offers: Partial<Record<OfferedField, Offer>>;
  onUse: (part: Partial<EntryDraft>) => void;
}

/** What others say about the work in the form. */
export const OffersContext = createContext<Offers>({ offers: {}, onUse: () => {} });

/** A field of an entry's form, with what others say about it. Addresses lead to it by its name. */
export function FormPart({ field, children }: { field: OfferedField; children: ReactNode }) {
  const { offers, onUse } = useContext(OffersContext);
  const offer = offers[field];
  return (
    <div className={styles.part} data-field={field}>
      {children}
      {offer && (
        <div className={styles.offer}>
          <span className={styles.text}>{messages.from(offer.source, offer.text)}</span>
          <Button size="small" aria-label={messages.forField(fieldLabels[field])} onClick={() => onUse(offer.part)}>
            {messages.use}
          </Button>
        </div>
      )}
    </div>
  );
}
