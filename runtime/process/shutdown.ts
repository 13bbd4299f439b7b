import type { EventEmitter } from 'node:events';
import { Observable } from 'rxjs';
import type { Output } from './closed-output.ts';
import { onClosedOutput } from './closed-output.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * While subscribed to, emits each SIGTERM and SIGINT of the process. The first one starts the drain, a second one stops at
 * once. Without a subscriber the signals end the process, as usual.
 */
export const stopSignals = (source: Pick<EventEmitter, 'on' | 'off'> = process): Observable<StopSignal> =>
  new Observable((subscriber) => {
    const onSignal = (signal: StopSignal): void => subscriber.next(signal);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) source.on(signal, onSignal);
    return () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) source.off(signal, onSignal);
    };
  });

/**
 * Emits when the reader of standard output or of the log has ended, as `jq` does at Ctrl-C in `npm start |& jq`. While
 * subscribed to, what is written then is lost. Without a subscriber, the next write throws.
 */
export const closedOutputs = (
  outputs: readonly Output[] = [process.stdout, process.stderr],
): Observable<'SIGPIPE'> =>
  new Observable((subscriber) => {
    for (const output of outputs) subscriber.add(onClosedOutput(output, () => subscriber.next('SIGPIPE')));
  });
