import type { ReactElement, ReactNode } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import type { SandboxHealth } from '../run/sandbox-health.ts';

/** A sentence or two beside what they are about, which a person can dismiss. */
function Notice({
  kind,
  title,
  children,
  onDismiss,
}: {
  kind: 'tip' | 'strip' | 'banner';
  title: string;
  children: ReactNode;
  onDismiss?: (() => void) | undefined;
}): ReactElement {
  const { t } = useLanguage();
  return (
    <div className="ms ms-notice" data-kind={kind} aria-label={title} role={kind === 'banner' ? 'status' : 'note'}>
      <div className="ms-notice-text">
        <p className="ms-message-title">{title}</p>
        {children}
      </div>
      {onDismiss !== undefined && (
        <button type="button" className="ms-icon-button" aria-label={t('dismiss')} onClick={onDismiss}>
          <Icon name="cross" />
        </button>
      )}
    </div>
  );
}

/** Properties of a notice. */
export interface NoticeProps {
  /** Called when the person has read it. The host remembers that, and does not show it again. */
  onDismiss: () => void;
  /** Says more. */
  onLearnMore?: () => void;
}

/** Properties of `FirstAttachTip`. */
export interface FirstAttachTipProps extends NoticeProps {
  /**
   * What the model will see of the file. `answers`: the answers of scripts, as with `local-agent`. `lines`: lines that
   * other tools of the host look up. `all`: the whole file, as with `default-chat`. Default: `answers`.
   */
  sees?: 'answers' | 'lines' | 'all';
}

const bodies = { answers: 'firstAttachBody', lines: 'firstAttachLines', all: 'firstAttachAll' } as const;

/** Shown with the first file that a person attaches. It says where the file goes, and what the model sees of it. */
export function FirstAttachTip({ sees = 'answers', onDismiss, onLearnMore }: FirstAttachTipProps): ReactElement {
  const { t } = useLanguage();
  return (
    <Notice kind="tip" title={t(sees === 'all' ? 'firstAttachAllTitle' : 'firstAttachTitle')} onDismiss={onDismiss}>
      <p>{t(bodies[sees])}</p>
      <LearnMore onLearnMore={onLearnMore} />
    </Notice>
  );
}

/** Shown with the first script that a model wants to run. It says what a script can do. */
export function FirstRunStrip({ onDismiss, onLearnMore }: NoticeProps): ReactElement {
  const { t } = useLanguage();
  return (
    <Notice kind="strip" title={t('firstRunTitle')} onDismiss={onDismiss}>
      <p>{t('firstRunBody')}</p>
      <LearnMore onLearnMore={onLearnMore} />
    </Notice>
  );
}

/** Properties of `ModelHintBanner`. */
export interface ModelHintBannerProps {
  /** The message of the event `sandbox.tool.unused_with_attachment`. */
  message: string;
  onDismiss: () => void;
  onChooseModel?: () => void;
}

/** Says that the model did not read the attached files. */
export function ModelHintBanner({ message, onDismiss, onChooseModel }: ModelHintBannerProps): ReactElement {
  const { t } = useLanguage();
  return (
    <Notice kind="banner" title={t('unusedTitle')} onDismiss={onDismiss}>
      <p>{message}</p>
      {onChooseModel !== undefined && (
        <button type="button" className="ms-button" onClick={onChooseModel}>
          {t('chooseModel')}
        </button>
      )}
    </Notice>
  );
}

/** Properties of `SandboxNotice`. */
export interface SandboxNoticeProps {
  /** The result of `useSandboxHealth`. */
  health: SandboxHealth;
}

/** Says that scripts wait, cannot run, or run without a jail. It renders nothing while all is well. */
export function SandboxNotice({ health }: SandboxNoticeProps): ReactElement | null {
  const { t, format } = useLanguage();
  const { state, message, retryAt, unconfined } = health;
  if (state !== 'ready') {
    return (
      <Notice kind="banner" title={t(state === 'restarting' ? 'sandboxRestarting' : 'sandboxUnavailable')}>
        {message !== undefined && <p className="ms-wrap">{message}</p>}
        {retryAt !== undefined && (
          <p className="ms-note">{t('sandboxRetry', { time: format.clock(new Date(retryAt)) })}</p>
        )}
      </Notice>
    );
  }
  if (unconfined === undefined) return null;
  return (
    <Notice kind="banner" title={t('sandboxUnconfined')}>
      <p>{t('sandboxUnconfinedBody')}</p>
      <p className="ms-wrap">{unconfined}</p>
    </Notice>
  );
}

function LearnMore({ onLearnMore }: { onLearnMore: (() => void) | undefined }): ReactElement | null {
  const { t } = useLanguage();
  if (onLearnMore === undefined) return null;
  return (
    <button type="button" className="ms-link" onClick={onLearnMore}>
      {t('learnMore')}
    </button>
  );
}
