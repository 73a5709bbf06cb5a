import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useConfig } from "@/api/config";
import type { Descriptor } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import { useAuth } from "@/features/identity/useAuth";
import { BackLink } from "@/ui/BackLink";
import { Button } from "@/ui/Button";
import { Coded } from "@/ui/Coded";
import { Page } from "@/ui/Page";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import styles from "./AddRepositoryPage.module.css";
import { AddressStep } from "./AddressStep";
import { Alike } from "./Alike";
import { addRepositoryMessages as words } from "./addRepository.messages";
import { DescriptorReview } from "./DescriptorReview";
import { addRepository, pullDescriptor } from "./descriptorCalls";
import { exampleDescriptor, repositoryName } from "./example";
import { exampleMessages } from "./example.messages";
import { type Decisions, MissingStep, undecided } from "./MissingStep";
import { missingMessages } from "./MissingStep.messages";
import { Refusal, reasonOf } from "./Refusal";
import { refusalMessages } from "./Refusal.messages";
import { tellOfPrivacy } from "./tellOfPrivacy";
import { usePullOnReturn } from "./usePullOnReturn";

interface AddRepositoryPageProps {
  /** The catalog with all types: where to go after adding the repository. */
  catalog: string;
}

/** Adds a repository in two steps: entering its address, and reviewing its descriptor. */
export function AddRepositoryPage({ catalog }: AddRepositoryPageProps) {
  const { descriptorNames } = useConfig();
  const [file = ""] = descriptorNames;
  const { user } = useAuth();
  const [address, setAddress] = useState({ text: "", cut: false });
  const [descriptor, setDescriptor] = useState<Descriptor>();
  const [decisions, setDecisions] = useState<Decisions>({});
  const [cancelled, setCancelled] = useState(false);
  const asking = useRef<AbortController>(undefined);
  const navigate = useNavigate();
  const queries = useQueryClient();

  const add = useMutation({
    mutationFn: addRepository,
    onSuccess: ({ resource }) => {
      toast.success(words.done, words.doneText, {
        label: words.open,
        onSelect: () => navigate(resourcePath(resource)),
      });
      void queries.invalidateQueries();
      navigate(catalog);
    },
    onError: (error) => {
      toast.error(words.failed, words.failedText(reasonOf(error)));
      tellOfPrivacy(error, file);
    },
  });
  const pull = useMutation({
    mutationFn: () => {
      asking.current = new AbortController();
      return pullDescriptor(address.text, false, asking.current.signal);
    },
    onMutate: () => {
      setCancelled(false);
      add.reset();
    },
    onSuccess: (pulled) => {
      setDescriptor(pulled);
      setDecisions({});
    },
    onError: (error) => {
      setDescriptor(undefined);
      tellOfPrivacy(error, file);
    },
  });

  const heading = useRef<HTMLHeadingElement>(null);
  const asks = descriptor !== undefined && undecided(descriptor, decisions).length > 0;
  const step = !descriptor ? 0 : asks ? 1 : 2;
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) heading.current?.focus();
    shown.current = step;
  }, [step]);

  usePullOnReturn(add.error ?? pull.error, () => pull.mutate());

  const seen = descriptor && { ...descriptor, ...(decisions.privacy && { privacy: decisions.privacy }) };

  const cancel = () => {
    asking.current?.abort();
    pull.reset();
    setCancelled(true);
  };
  const goBack = () => {
    setDescriptor(undefined);
    add.reset();
  };
  const example = exampleDescriptor(user?.email ?? exampleMessages.author, repositoryName(address.text));

  return (
    <Page width="narrow" above={step === 0 ? <BackLink to="/add" /> : <BackLink to="/add/repo" onBack={goBack} />}>
      <section className={styles.step} aria-labelledby="step">
        <p className={styles.count}>{words.step(descriptor ? 2 : 1)}</p>
        {descriptor && seen ? (
          <>
            <h2 id="step" ref={heading} tabIndex={-1}>
              {asks ? missingMessages.title : words.review}
            </h2>
            {asks ? (
              <MissingStep descriptor={descriptor} decisions={decisions} onDecide={setDecisions} />
            ) : (
              <>
                <p>
                  <Coded text={words.source(descriptor.file, descriptor.branch)} />
                </p>
                <Alike type="REPOSITORY" name={seen.name} />
                <DescriptorReview descriptor={seen} />
              </>
            )}
            {add.error && (
              <Refusal
                title={refusalMessages.notAdded}
                error={add.error}
                file={file}
                example={example}
                address={seen.repositoryUrl}
              />
            )}
            <div className={styles.actions}>
              <Button onClick={() => pull.mutate()} busy={pull.isPending}>
                {words.pullAgain}
              </Button>
              {!asks && (
                <Button
                  variant="primary"
                  onClick={() => add.mutate({ seen, addAs: decisions.addAs })}
                  busy={add.isPending}
                >
                  {words.add}
                </Button>
              )}
            </div>
          </>
        ) : (
          <AddressStep
            heading={heading}
            address={address}
            onAddress={(typed) => {
              setAddress(typed);
              setCancelled(false);
              if (pull.error) pull.reset();
            }}
            error={pull.error}
            pulling={pull.isPending}
            cancelled={cancelled}
            onPull={() => pull.mutate()}
            onCancel={cancel}
            file={file}
            example={example}
          />
        )}
      </section>
    </Page>
  );
}
