import type { LoopbackReply, LoopbackRequest } from '../../../package/testing.ts';

/** A request, with its body. */
export interface WireRequest extends Omit<LoopbackRequest, 'body'> {
  readonly body: string;
}

export type WireReply = Exclude<LoopbackReply, string>;
