import type { LoopbackReply } from './loopback-server.ts';

/** What a proxy in front of a cloud says of itself. */
export function gatewayReply(status: number): Exclude<LoopbackReply, string> {
  const text = `<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>nginx</body></html>\n`;
  return { status, headers: { 'content-type': 'text/html' }, text };
}
