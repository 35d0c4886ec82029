// Every text that a person reads on the page, but for those of the cards. What depends on something is a function.
import { chatTexts } from './chat-texts.ts';
import { pageTexts } from './page-texts.ts';
import { panelTexts } from './panel-texts.ts';
import { settingsTexts } from './settings-texts.ts';

export const texts = { ...pageTexts, ...chatTexts, ...panelTexts, ...settingsTexts } as const;
