// Every text that a person reads on the page, but for those of the cards. What depends on something is a function.
import { chatTexts } from './chat-texts.ts';
import { pageTexts } from './page-texts.ts';
import { panelTexts } from './panel-texts.ts';
import { settingsTexts } from './settings-texts.ts';

/** Texts of the cards that differ here, because this program keeps an answer as a setting. */
export const cardTexts = {
  firstAttachBody:
    'The file stays on your disk. The model looks up lines in it and runs small scripts over it, and sees only what they give. Of an image it sees all.',
  firstAttachAll: 'In Ask and Build its whole content becomes part of the message. In Agent a file stays on your disk.',
  allowAlwaysNote: '“Allow always” holds for every script of every chat, until you change it in Settings → Scripts.',
};

export const texts = { ...pageTexts, ...chatTexts, ...panelTexts, ...settingsTexts } as const;
