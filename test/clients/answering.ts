import type { Carrier } from '../../clients/http.ts';

/** A carrier whose every request gets this answer. */
export const answering = (statusCode: number, text: string): Carrier => ({
  request: async () => ({ statusCode, headers: {}, body: [Buffer.from(text)] }),
});
