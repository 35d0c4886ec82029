import { useId, useState, type ReactElement } from 'react';
import type { SettingInfo, Settings } from '@mustard-sandbox/agent-tool';
import type { AttachmentItem } from '../attachments/attachment-chip.tsx';
import { useLanguage } from '../messages/provider.tsx';
import { Choice } from '../parts/choice.tsx';
import { Icon } from '../parts/icons.tsx';
import { oneLine } from '../text/printable.ts';
import { ManagedAttachments } from './managed-attachments.tsx';
import { NumberSetting } from './number-setting.tsx';

type Info = Readonly<Record<keyof Settings, SettingInfo>>;

/** Properties of `ScriptSettings`. */
export interface ScriptSettingsProps {
  settings: Settings;
  /** `settingsInfo` of the agent tool: labels, ranges and defaults. */
  info: Info;
  /** Saves the setting. If it rejects, the person is told, and the setting stays as it was. */
  onChange: (change: Partial<Settings>) => void | Promise<void>;
  /** The folder of the attachments as its path on the disk, such as `.dyad/media/`. */
  mediaPath: string;
  onOpenMedia?: () => void;
  attachments: readonly AttachmentItem[];
  /** Removes the file from the disk. */
  onRemoveAttachment?: (name: string) => void | Promise<void>;
}

/** The settings of scripts, and the files that scripts can read. */
export function ScriptSettings(props: ScriptSettingsProps): ReactElement {
  const { settings, info, onChange, mediaPath, onOpenMedia, attachments, onRemoveAttachment } = props;
  const { t } = useLanguage();
  const [failed, setFailed] = useState<keyof Settings>();
  const change = (name: keyof Settings, value: unknown): void => {
    setFailed(undefined);
    const changed = name === 'consent' ? permissionOf(value) : { [name]: value };
    Promise.resolve(onChange(changed)).catch(() => setFailed(name));
  };
  const { enabled, consent, ...rest } = info;
  const shown = { consent: { ...consent, label: enabled.label, description: enabled.description }, ...rest };
  const values = { ...settings, consent: settings.enabled ? settings.consent : 'never' };
  return (
    <section className="ms ms-settings" aria-label={t('settingsTitle')}>
      {(Object.entries(shown) as [keyof typeof shown, SettingInfo][]).map(([name, one]) => (
        <div key={name}>
          <Setting info={one} value={values[name]} onChange={(value) => change(name, value)} />
          {failed === name && (
            <p className="ms-problem" role="alert">
              {t('settingFailed')}
            </p>
          )}
        </div>
      ))}
      <ManagedAttachments attachments={attachments} {...(onRemoveAttachment && { onRemove: onRemoveAttachment })} />
      {onOpenMedia !== undefined && (
        <button type="button" className="ms-button ms-with-icon" onClick={onOpenMedia}>
          <Icon name="folder" />
          <span className="ms-wrap">{t('openMedia', { path: oneLine(mediaPath) })}</span>
        </button>
      )}
    </section>
  );
}

/** Scripts that are off and scripts that are never allowed are the same to a person: one choice sets both. */
function permissionOf(value: unknown): Partial<Settings> {
  const consent = value as Settings['consent'];
  return { enabled: consent !== 'never', consent };
}

function Setting({
  info,
  value,
  onChange,
}: {
  info: SettingInfo;
  value: Settings[keyof Settings];
  onChange: (value: unknown) => void;
}): ReactElement {
  const id = useId();
  return (
    <div className="ms-setting">
      <div>
        <p className="ms-message-title" id={`${id}-label`}>
          {info.label}
        </p>
        <p className="ms-note" id={`${id}-hint`}>
          {info.description}
        </p>
      </div>
      {info.type === 'boolean' && (
        <input
          type="checkbox"
          role="switch"
          className="ms-switch"
          checked={value === true}
          aria-labelledby={`${id}-label`}
          aria-describedby={`${id}-hint`}
          onChange={(event) => onChange(event.target.checked)}
        />
      )}
      {info.type === 'choice' && (
        <Choice label={info.label} options={info.choices} value={String(value)} onChange={onChange} />
      )}
      {info.type === 'number' && (
        <NumberSetting info={info} value={Number(value)} labelledBy={`${id}-label`} onChange={onChange} />
      )}
    </div>
  );
}
