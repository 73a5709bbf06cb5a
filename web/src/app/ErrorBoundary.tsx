import { Component, type ReactNode } from "react";
import { Problem } from "@/api/problem";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Page } from "@/ui/Page";
import { errorBoundaryMessages as words } from "./messages";

/** Keeps a page that broke from taking the navigation with it. Give it the address as key: another page starts anew. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown; broken: boolean }> {
  override state: { error: unknown; broken: boolean } = { error: undefined, broken: false };

  static getDerivedStateFromError(error: unknown) {
    return { error, broken: true };
  }

  override render() {
    const { error, broken } = this.state;
    if (!broken) return this.props.children;
    return (
      <Page title={words.heading} width="narrow">
        <ErrorState
          title={words.title}
          message={error instanceof Problem ? `${error.message} ${words.kept}` : words.kept}
        >
          <Button onClick={() => location.reload()}>{words.reload}</Button>
        </ErrorState>
      </Page>
    );
  }
}
