import type { LoopbackReply, LoopbackRequest } from '../../../testing/emulators/loopback-server.ts';

/** A request, with its body. */
export interface WireRequest extends Omit<LoopbackRequest, 'body'> {
  readonly body: string;
}

export type WireReply = Exclude<LoopbackReply, string>;
