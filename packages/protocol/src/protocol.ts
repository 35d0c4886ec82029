import type * as z from 'zod/mini';
import type { ErrorCode, ErrorDetails } from './errors.ts';
import { errorDataSchema } from './messages/error-data.ts';
import { notifications, requests } from './methods.ts';

/** What two peers may say to each other: the schemas of every message. */
export interface Protocol {
  readonly requests: Readonly<Record<string, { readonly params: z.ZodMiniType; readonly result: z.ZodMiniType }>>;
  readonly notifications: Readonly<Record<string, z.ZodMiniType>>;
  /** `data` of every JSON-RPC error response. */
  readonly errorData: z.ZodMiniType<{ code: ErrorCode; details?: ErrorDetails | undefined }>;
}

/** What a sidecar and its client say to each other. */
export const sidecarProtocol = { requests, notifications, errorData: errorDataSchema } as const satisfies Protocol;
/** The type of `sidecarProtocol`. */
export type SidecarProtocol = typeof sidecarProtocol;

/** The name of a request of `P`. */
export type RequestOf<P extends Protocol> = keyof P['requests'] & string;
/** The name of a notification of `P`. */
export type NotificationOf<P extends Protocol> = keyof P['notifications'] & string;
/** Params as the sender writes them: fields with a default may be left out. */
export type ParamsInOf<P extends Protocol, M extends RequestOf<P>> = z.input<P['requests'][M]['params']>;
/** Params as the handler gets them: defaults filled in. */
export type ParamsOf<P extends Protocol, M extends RequestOf<P>> = z.output<P['requests'][M]['params']>;
/** The result of a request. */
export type ResultOf<P extends Protocol, M extends RequestOf<P>> = z.output<P['requests'][M]['result']>;
/** The params of a notification. */
export type NoticeOf<P extends Protocol, M extends NotificationOf<P>> = z.output<P['notifications'][M]>;
