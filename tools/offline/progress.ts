/** Reports the steps of long work; titles are short clauses such as "build kube-apiserver". */
export interface Progress {
  /**
   * Runs one step and reports its beginning, a heartbeat while it lasts, and its end with the elapsed time.
   * The answer of `act` passes through; its error is thrown as the cause of one that names the step.
   */
  step<T>(title: string, act: () => Promise<T>): Promise<T>;
  /** Reports one line. */
  note(message: string): void;
}
