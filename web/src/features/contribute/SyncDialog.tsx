import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useConfig } from "@/api/config";
import { messageOf } from "@/api/problem";
import type { Descriptor, Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { Alert } from "@/ui/Alert";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { useLocation, useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { ChangeList } from "./ChangeList";
import { DescriptorFailure } from "./DescriptorFailure";
import { pullDescriptor, syncRepository } from "./descriptorCalls";
import { type Change, changesOf } from "./difference";
import { exampleDescriptor } from "./example";
import { exampleMessages } from "./example.messages";
import { Refusal } from "./Refusal";
import { refusalMessages } from "./Refusal.messages";
import { descriptorsKey, readAgain } from "./readAgain";
import styles from "./SyncDialog.module.css";
import { syncMessages as words } from "./sync.messages";
import { usePullOnReturn } from "./usePullOnReturn";

interface SyncDialogProps {
  resource: Resource;
  onClose: () => void;
}

/** Shows what a repository's descriptor changes in its entry, and saves it; then the page reloads its data. */
export function SyncDialog({ resource, onClose }: SyncDialogProps) {
  const [file = ""] = useConfig().descriptorNames;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const dialog = useId();
  const { repositoryUrl: address = "" } = resource;
  const pull = useQuery({
    queryKey: [...descriptorsKey, dialog, resource.id],
    queryFn: () => pullDescriptor(address, true),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const save = useMutation({
    mutationFn: (seen: Descriptor) => syncRepository(resource.id, seen),
    onSuccess: () => {
      toast.success(words.done);
      onClose();
      navigate({ pathname, search }, { replace: true });
      void readAgain(queries);
    },
    onError: (error) => toast.error(words.failed, words.failedText(messageOf(error))),
  });
  const descriptor = pull.data;
  const seen = descriptor && !pull.error && !pull.isFetching ? descriptor : undefined;
  const changes = seen && changesOf(resource, seen);
  const matches = changes?.length === 0;
  const becomesPublic = resource.privacy === "PRIVATE" && seen?.privacy === "PUBLIC";
  const pullAgain = () => {
    save.reset();
    void pull.refetch();
  };
  usePullOnReturn(pull.error ?? save.error, pullAgain);

  const example = exampleDescriptor(resource.authors[0] ?? exampleMessages.author, resource.name);
  return (
    <Dialog
      title={words.title(descriptor?.file ?? file)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{matches ? words.close : words.cancel}</Button>
          {(pull.error || save.error) && (
            <Button onClick={pullAgain} busy={pull.isFetching}>
              {words.pullAgain}
            </Button>
          )}
          {!matches && (
            <Button
              variant="primary"
              disabled={seen === undefined}
              busy={save.isPending}
              onClick={() => seen && save.mutate(seen)}
            >
              {becomesPublic ? words.savePublic : words.save}
            </Button>
          )}
        </>
      }
    >
      {pull.isFetching && (
        <SkeletonPlace label={words.reading} className={styles.waiting}>
          <Skeleton width="60%" />
          {[1, 2, 3].map((field) => (
            <div key={field} className={styles.field}>
              <Skeleton width="5em" />
              <Skeleton height="1.75em" />
              <Skeleton height="1.75em" />
            </div>
          ))}
        </SkeletonPlace>
      )}
      {pull.error && !pull.isFetching && (
        <DescriptorFailure error={pull.error} file={file} example={example} address={address} />
      )}
      {seen && changes && (
        <WhatChanges entry={resource} descriptor={seen} changes={changes} becomesPublic={becomesPublic} />
      )}
      {save.error && !pull.isFetching && (
        <Refusal title={refusalMessages.notSynced} error={save.error} file={file} example={example} address={address} />
      )}
    </Dialog>
  );
}

interface WhatChangesProps {
  entry: Resource;
  descriptor: Descriptor;
  changes: Change[];
  becomesPublic: boolean;
}

function WhatChanges({ entry, descriptor, changes, becomesPublic }: WhatChangesProps) {
  const { user } = useAuth();
  const named = (entry.formerAuthors ?? []).filter((former) => descriptor.authors?.includes(former));
  const email = user?.email.toLowerCase() ?? "";
  return (
    <>
      {changes.length === 0 ? (
        <p>{words.nothing(descriptor.file)}</p>
      ) : (
        <>
          <p>{words.changes}</p>
          <ChangeList changes={changes} />
        </>
      )}
      {(descriptor.privacyMissing || becomesPublic) && (
        <Alert title={words.becomesPublic}>
          <p>{descriptor.privacyMissing ? words.becomesPublicText(descriptor.file) : words.everybody}</p>
        </Alert>
      )}
      {named.length > 0 && (
        <Alert title={words.former(named)}>
          <p>{words.formerText}</p>
        </Alert>
      )}
      {!descriptor.authors?.includes(email) && (
        <Alert title={words.leaving}>
          <p>{words.leavingText}</p>
        </Alert>
      )}
    </>
  );
}
