import type { LoopbackReply } from './loopback-server.ts';
import type { Fault } from './route-faults.ts';

/** The answer of a proxy in front of a cloud: this text, or a page with the status. */
export function gatewayReply({
  status = 502,
  text: given,
}: Pick<Fault, 'status' | 'text'>): Exclude<LoopbackReply, string> {
  if (given !== undefined) return { status, headers: { 'content-type': 'application/json' }, text: given };
  const text = `<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>nginx</body></html>\n`;
  return { status, headers: { 'content-type': 'text/html' }, text };
}
