import { setTimeout as sleep } from 'node:timers/promises';
import { Observable } from 'rxjs';
import type { Batch } from '../../dashboard/page/wire.ts';

/** How often a process that does not listen yet is asked again. */
const againMs = 200;

/**
 * The feed of the live page: the acts of the process and the objects, in the order in which the process saw them. Waits for
 * the process to listen. Never completes: when the process has ended, it waits for the next one. All objects are deleted
 * then, and the first batches of the next process have those that exist.
 */
export function feedOf(pageUrl: string): Observable<Batch> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    const { signal } = controller;
    const seen = new Set<string>();
    const read = async (): Promise<void> => {
      const { body } = await connected(`${pageUrl}/events`, signal);
      subscriber.next({ nodes: [], deleted: [...seen], events: [] });
      seen.clear();
      let text = '';
      for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const messages = `${text}${chunk}`.split('\n\n');
        text = messages.pop() ?? '';
        for (const batch of messages.flatMap(batchIn)) {
          for (const { id } of batch.nodes) seen.add(id);
          subscriber.next(batch);
        }
      }
    };
    const readOn = async (): Promise<void> => {
      // It fails if the process ends in the middle of a message, and if the reader leaves.
      while (!signal.aborted) await read().catch(() => {});
    };
    void readOn();
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
