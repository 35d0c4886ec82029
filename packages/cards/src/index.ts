'use client';
// The line above is for frameworks with server components, such as Next.js. All of these components run on the client.

export { CardsProvider, type CardsProviderProps } from './messages/provider.tsx';
export { defaultMessages, type MessageKey, type Messages, type PluralMessage } from './messages/messages.ts';
export type { LiveRun, Run } from './run/run.ts';
export type { RunStatus } from './run/states.ts';
export { createRunStore, type CardEvent, type CardEventSource, type RunStore } from './run/run-store.ts';
export type { SandboxHealth } from './run/sandbox-health.ts';
export { useRun, useRuns, useSandboxHealth } from './run/use-run-store.ts';
export { ScriptCard, type ScriptCardProps } from './script-card/script-card.tsx';
export type { CallActions, CallDecision, CallRule, ForkAnswer, ScriptCall } from './calls/call.ts';
export type { RowsLoader } from './table/rows-loader.ts';
export type { ScriptCardActions } from './script-card/actions.ts';
export { ConsentDialog, type ConsentDialogProps } from './consent/consent-dialog.tsx';
export { createConsentQueue, type ConsentQueue, type PendingConsent } from './consent/consent-queue.ts';
export { SizePolicyDialog, type SizePolicyDialogProps } from './consent/size-policy-dialog.tsx';
export {
  AttachmentChip,
  AttachmentList,
  type AttachmentChipProps,
  type AttachmentItem,
  type AttachmentListProps,
} from './attachments/attachment-chip.tsx';
export {
  FirstAttachTip,
  type FirstAttachTipProps,
  FirstRunStrip,
  ModelHintBanner,
  type ModelHintBannerProps,
  SandboxNotice,
  type NoticeProps,
  type SandboxNoticeProps,
} from './notices/notice.tsx';
export { ScriptSettings, type ScriptSettingsProps } from './settings/script-settings.tsx';
export {
  BashCard,
  type BashCardProps,
  type CommandNetwork,
  type CommandRun,
  type CommandStream,
} from './bash/bash-card.tsx';
// The parts of the cards, for a host whose other screens should look the same.
export { Choice, type ChoiceProps } from './parts/choice.tsx';
export { CopyButton, type CopyButtonProps } from './parts/copy-button.tsx';
export { QuestionAnswers, type QuestionAnswersProps } from './parts/answers.tsx';
export { QuestionDialog, type QuestionDialogProps } from './parts/dialog.tsx';
export { Icon, type IconName, type IconProps } from './parts/icons.tsx';
export { Printed, type PrintedProps } from './parts/printed.tsx';
export { TextView } from './output/text-view.tsx';
export { useLanguage, type Language } from './messages/provider.tsx';
export type { Format } from './messages/format.ts';
export type { Fillers, Translate } from './messages/translate.ts';
export { oneLine } from './text/printable.ts';
