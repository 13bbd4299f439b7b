import type { LoopbackReply } from './loopback-server.ts';

/** The error page of a proxy in front of a cloud. */
export function gatewayReply(status: number): Exclude<LoopbackReply, string> {
  const text = `<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>nginx</body></html>\n`;
  return { status, headers: { 'content-type': 'text/html' }, text };
}
