import { Component, type ReactNode } from 'react';
import { texts } from '../words/texts.ts';

/** Shows an error in place of what fails to render, so that the rest of the page works. A new `resetKey` tries again. */
export class ErrorBoundary extends Component<{ children: ReactNode; resetKey?: unknown }, { why: string | undefined }> {
  override state: { why: string | undefined } = { why: undefined };

  static getDerivedStateFromError(error: unknown): { why: string } {
    return { why: error instanceof Error ? error.message : String(error) };
  }

  override componentDidUpdate(before: { resetKey?: unknown }): void {
    if (this.state.why !== undefined && before.resetKey !== this.props.resetKey) this.setState({ why: undefined });
  }

  override render(): ReactNode {
    if (this.state.why === undefined) return this.props.children;
    return (
      <div className="ma-notice" data-kind="error" role="alert">
        <p className="ma-strong">{texts.renderFailed}</p>
        <p className="ma-quiet">{texts.renderFailedWhy(this.state.why)}</p>
      </div>
    );
  }
}
