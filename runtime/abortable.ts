import { Observable } from 'rxjs';

/**
 * Calls `ask` at each subscription. Emits the answer and completes, or errors with what `ask` throws. Unsubscribing aborts
 * the signal.
 */
export const abortable = <T>(ask: (signal: AbortSignal) => Promise<T>): Observable<T> =>
  new Observable((subscriber) => {
    const abort = new AbortController();
    ask(abort.signal).then(
      (answer) => {
        subscriber.next(answer);
        subscriber.complete();
      },
      (error: unknown) => subscriber.error(error),
    );
    return () => abort.abort();
  });
