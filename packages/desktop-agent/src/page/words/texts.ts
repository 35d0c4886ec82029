// Every text that a person reads on the page, except those of the cards. A text that depends on something is a function.
import { chatTexts } from './chat-texts.ts';
import { gitTexts } from './git-texts.ts';
import { modelTexts } from './model-texts.ts';
import { pageTexts } from './page-texts.ts';
import { panelTexts } from './panel-texts.ts';
import { planTexts } from './plan-texts.ts';
import { previewTexts } from './preview-texts.ts';
import { settingsTexts } from './settings-texts.ts';
import { startingTexts } from './starting-texts.ts';
import { toolsTexts } from './tools-texts.ts';

/** Texts of the cards that differ here, because this program keeps an answer as a setting. */
export const cardTexts = {
  firstAttachBody:
    'The file stays on your disk. The model looks up lines in it and runs small scripts over it, and sees only their answers. It sees images whole.',
  firstAttachAll:
    'In Ask and Build its whole content becomes part of the message. In Plan and Agent a file stays on your disk.',
  firstRunBody:
    'A script is a small program that looks into your files for the model, so that the model does not have to read all of them. You see the whole script below.',
  allowAlwaysNote: '“Allow always” holds for every script of every chat, until you change it in Settings → Scripts.',
};

export const texts = {
  ...pageTexts,
  ...chatTexts,
  ...panelTexts,
  ...planTexts,
  ...gitTexts,
  ...previewTexts,
  ...settingsTexts,
  ...startingTexts,
  ...toolsTexts,
  ...modelTexts,
} as const;
