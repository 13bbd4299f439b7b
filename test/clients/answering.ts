import type { Carrier } from '../../clients/http.ts';

type Sent = Parameters<Carrier['request']>[0];

/** A carrier, its requests, and the statuses that it answers with, in order; then always 200. */
export function recording(
  statuses: readonly number[] = [],
  answer: (request: Sent) => object = () => ({}),
): { readonly carrier: Carrier; readonly sent: readonly Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    carrier: {
      async request(request) {
        sent.push(request);
        const statusCode = statuses[sent.length - 1] ?? 200;
        return { statusCode, headers: {}, body: [Buffer.from(JSON.stringify(answer(request)))] };
      },
    },
  };
}

/** A carrier whose every request gets this answer. */
export const answering = (statusCode: number, text: string): Carrier => ({
  request: async () => ({ statusCode, headers: {}, body: [Buffer.from(text)] }),
});
