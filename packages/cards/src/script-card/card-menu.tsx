import { Menu, MenuButton, MenuItem } from '@szhsin/react-menu';
import { useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import { useCopy } from '../parts/use-copy.ts';
import { copyableOutput, statusOf, type Run } from '../run/run.ts';
import { isUnderWay } from '../run/states.ts';
import type { ScriptCardActions } from './actions.ts';

/**
 * The actions of a card. An action that this card lacks is greyed and not hidden, so that the others keep their places.
 */
export function CardMenu({
  run,
  onRerun,
  onManageScripts,
}: { run: Run } & Pick<ScriptCardActions, 'onRerun' | 'onManageScripts'>): ReactElement {
  const { t } = useLanguage();
  const { copy, said } = useCopy();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const { script } = run;
  const output = copyableOutput(run);
  const canRerun = onRerun !== undefined && !isUnderWay(statusOf(run));
  return (
    <>
      <Menu
        className="ms"
        menuClassName="ms-menu"
        // The menu is inside the landmark of the card, where a screen reader finds it.
        portal={{ target: anchor?.closest<HTMLElement>('main, [role=main]') ?? null }}
        align="end"
        position="anchor"
        gap={4}
        aria-label={t('moreActions')}
        menuButton={
          <MenuButton className="ms-icon-button ms-card-more" aria-label={t('moreActions')}>
            <Icon name="more" />
          </MenuButton>
        }
      >
        <MenuItem className="ms-menu-item" disabled={!canRerun} onClick={() => onRerun?.()}>
          {t('rerun')}
        </MenuItem>
        <MenuItem className="ms-menu-item" disabled={script === undefined} onClick={() => copy(script ?? '')}>
          {t('copyScript')}
        </MenuItem>
        <MenuItem className="ms-menu-item" disabled={output === ''} onClick={() => copy(output)}>
          {t('copyOutput')}
        </MenuItem>
        <MenuItem className="ms-menu-item" disabled={onManageScripts === undefined} onClick={() => onManageScripts?.()}>
          {t('manageScripts')}
        </MenuItem>
      </Menu>
      <span ref={setAnchor} role="status" className="ms-visually-hidden">
        {said}
      </span>
    </>
  );
}
