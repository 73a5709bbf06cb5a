import { Component, type ReactNode } from "react";
import { Problem } from "@/api/problem";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Page } from "@/ui/Page";
import { errorBoundaryMessages as words } from "./ErrorBoundary.messages";

interface ErrorBoundaryProps {
  /** The key of the visit: a new visit, even to the same page, tries again. */
  visit: string;
  children: ReactNode;
}

interface ErrorBoundaryState {
  /** Wrapped, because anything can be thrown, even undefined. */
  thrown?: { error: unknown } | undefined;
}

/** Keeps the navigation when a page breaks. Pass the path as key: another page starts fresh. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = {};

  static getDerivedStateFromError(error: unknown) {
    return { thrown: { error } };
  }

  override componentDidUpdate({ visit }: ErrorBoundaryProps, { thrown }: ErrorBoundaryState) {
    if (thrown && visit !== this.props.visit) this.setState({ thrown: undefined });
  }

  override render() {
    const { thrown } = this.state;
    if (!thrown) return this.props.children;
    const { error } = thrown;
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
