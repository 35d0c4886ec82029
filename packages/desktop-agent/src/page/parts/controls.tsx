import { Icon, Printed, type IconName } from '@mustard-sandbox/cards';
import type { ButtonHTMLAttributes, ReactElement, ReactNode } from 'react';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement>;

/** A button with words. `whyNot` disables it and shows the reason, also to a screen reader. */
export function Button({
  kind,
  icon,
  whyNot,
  children,
  className = '',
  onClick,
  ...rest
}: ButtonProps & { kind?: 'primary' | 'danger'; icon?: IconName; whyNot?: string | undefined }): ReactElement {
  return (
    <button
      type="button"
      className={`ms-button ma-button ${kind === undefined ? '' : `ms-${kind}`} ${className}`}
      {...rest}
      // `disabled` would remove the focus, and the reason could not be read.
      aria-disabled={whyNot !== undefined || rest['aria-disabled']}
      title={whyNot ?? rest.title}
      onClick={whyNot === undefined ? onClick : undefined}
    >
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
      {whyNot !== undefined && <span className="ms-visually-hidden">. {whyNot}</span>}
    </button>
  );
}

/** A button with an icon. Its words are the tooltip, and for a screen reader. */
export function IconButton({
  icon,
  label,
  className = '',
  ...rest
}: ButtonProps & { icon: IconName; label: string }): ReactElement {
  return (
    <button type="button" className={`ms-icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}

/** Shown where there is nothing yet. It says what will be here, and how to begin. */
export function Empty({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}): ReactElement {
  return (
    <div className="ma-empty">
      <p className="ma-strong">{title}</p>
      {children !== undefined && <p className="ma-quiet">{children}</p>}
      {actions !== undefined && <div className="ma-actions">{actions}</div>}
    </div>
  );
}

/** A failure: what could not be done, why, and what to do about it. */
export function Failure({
  title,
  children,
  onRetry,
  retry,
}: {
  title: string;
  children?: ReactNode;
  onRetry?: () => void;
  retry: string;
}): ReactElement {
  return (
    <div className="ma-notice" data-kind="error" role="alert">
      <p className="ma-strong ma-with-icon">
        <Icon name="warning" />
        <Printed text={title} />
      </p>
      {children !== undefined && <p className="ma-wrap">{children}</p>}
      {onRetry !== undefined && (
        <div className="ma-actions">
          <Button onClick={onRetry}>{retry}</Button>
        </div>
      )}
    </div>
  );
}

/** Grey lines in place of what is loading. The stylesheet shows them after 150 ms. */
export function Skeleton({ lines, label }: { lines: number; label: string }): ReactElement {
  return (
    <div className="ma-skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}
