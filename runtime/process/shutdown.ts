import type { EventEmitter } from 'node:events';
import { Observable } from 'rxjs';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * Emits each SIGTERM and SIGINT the process is sent, while subscribed to: the first means drain, a second one
 * now. Without a subscriber the signals end the process, as ever.
 */
export const stopSignals = (source: Pick<EventEmitter, 'on' | 'off'> = process): Observable<StopSignal> =>
  new Observable((subscriber) => {
    const onSignal = (signal: StopSignal): void => subscriber.next(signal);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) source.on(signal, onSignal);
    return () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) source.off(signal, onSignal);
    };
  });
