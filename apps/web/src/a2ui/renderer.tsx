import { Component, type ReactNode } from 'react';
import type { A2uiDocument, A2uiFormSubmitEvent } from './document';
import { registry } from './registry';
import { Unknown } from './registry/unknown';

export interface SurfaceHandlers {
  /** Sends the values of a form; a rejected promise keeps what was typed. */
  readonly onFormSubmit: (event: A2uiFormSubmitEvent) => Promise<void>;
  /** Why forms cannot be submitted now, such as an answer that was already given. */
  readonly closed?: string | undefined;
}

/** Renders a document. It decides neither colors nor sizes, and nothing outside of its own area. */
export function A2uiRenderer({ document, ...handlers }: { document: A2uiDocument } & SurfaceHandlers) {
  return (
    <div className="grid min-w-0 gap-4">
      {document.components.map((component) => {
        const Found = Object.hasOwn(registry, component.type) ? registry[component.type] : undefined;
        return (
          <Contained key={component.id} type={component.type}>
            {Found ? <Found id={component.id} props={component.props as never} handlers={handlers} /> : <Unknown type={component.type} />}
          </Contained>
        );
      })}
    </div>
  );
}

/** A component that fails shows as a placeholder and takes nothing else with it. */
class Contained extends Component<{ type: string; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? <Unknown type={this.props.type} failed /> : this.props.children;
  }
}
