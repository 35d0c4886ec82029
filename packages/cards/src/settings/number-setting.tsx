import { useEffect, useId, useState, type ReactElement } from 'react';
import type { SettingInfo } from '@mustard-sandbox/agent-tool';
import { useLanguage } from '../messages/provider.tsx';

/** A whole number within bounds. An invalid text stays on the screen with the reason, and is not saved. */
export function NumberSetting({
  info,
  value,
  labelledBy,
  onChange,
}: {
  info: Extract<SettingInfo, { type: 'number' }>;
  value: number;
  labelledBy: string;
  onChange: (value: number) => void;
}): ReactElement {
  const { t } = useLanguage();
  const id = useId();
  const [text, setText] = useState(String(value));
  useEffect(() => setText(String(value)), [value]);
  const number = Number(text);
  const isWrong = !/^\d+$/.test(text.trim()) || number < info.min || number > info.max;
  const keep = (): void => {
    if (!isWrong && number !== value) onChange(number);
  };
  return (
    <div className="ms-number-setting">
      <input
        type="text"
        inputMode="numeric"
        className="ms-input"
        value={text}
        aria-labelledby={labelledBy}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? id : undefined}
        onChange={(event) => setText(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => event.key === 'Enter' && keep()}
      />
      <span>{info.unit}</span>
      {isWrong && (
        <p id={id} className="ms-problem">
          {t('outOfRange', { min: info.min, max: info.max })}
        </p>
      )}
    </div>
  );
}
