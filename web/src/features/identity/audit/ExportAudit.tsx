import { useMutation } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/toast";
import { auditPageMessages as words } from "./AuditPage.messages";
import type { AuditFilters } from "./auditFilters";
import { downloadAudit } from "./auditQueries";

/** Saves all records that match the filters as a file. */
export function ExportAudit({ filters }: { filters: AuditFilters }) {
  const { mutate, isPending } = useMutation({
    mutationFn: () => downloadAudit(filters),
    onError: (error) => toast.error(words.exportFailed, messageOf(error)),
  });
  return (
    <Button busy={isPending} onClick={() => mutate()}>
      {words.export}
    </Button>
  );
}
