import { setTimeout as sleep } from 'node:timers/promises';
import { Observable } from 'rxjs';
import type { Batch } from '../dashboard/page/wire.ts';

/** How often a process that does not listen yet is asked again. */
const againMs = 200;

/**
 * The feed of the live page: the acts of the process and the objects, in the order in which the process saw them. Waits for
 * the process to listen. Never completes, and emits nothing more when the process has ended.
 */
export function feedOf(pageUrl: string): Observable<Batch> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    const { signal } = controller;
    const read = async (): Promise<void> => {
      const { body } = await connected(`${pageUrl}/events`, signal);
      let text = '';
      for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const messages = `${text}${chunk}`.split('\n\n');
        text = messages.pop() ?? '';
        for (const batch of messages.flatMap(batchIn)) subscriber.next(batch);
      }
    };
    // It fails if the process ends in the middle of a message, and if the reader leaves.
    read().catch(() => {});
    return () => controller.abort();
  });
}

async function connected(url: string, signal: AbortSignal): Promise<Response> {
  for (;;) {
    try {
      const response = await fetch(url, { signal });
      if (response.ok) return response;
    } catch (error) {
      if (signal.aborted) throw error;
    }
    await sleep(againMs, undefined, { signal });
  }
}

/** The batch of a server-sent event; none for a greeting or a sign of life. */
export function batchIn(message: string): readonly Batch[] {
  const data = /^event: batch\ndata: (.*)$/m.exec(message)?.[1];
  return data === undefined ? [] : [JSON.parse(data) as Batch];
}
