import { Observable } from 'rxjs';

/** Asks at each subscription, emits the answer and completes, or errors with what it throws. Unsubscribing aborts. */
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
