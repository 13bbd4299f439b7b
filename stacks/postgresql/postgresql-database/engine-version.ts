import { clientAdvice, invalid } from '../../../package/stack.ts';

/**
 * The major version in `18`, `18.1` or `9.6`. Before 10, major versions had two numbers, but such servers are not
 * supported.
 */
export const majorVersion = (engineVersion: string): number => Number.parseInt(engineVersion, 10);

/** Throws an ExternalError (`Invalid`) that names both versions unless the server has the wanted one. */
export function checkEngineVersion(
  wanted: string | undefined,
  server: { readonly version: number; readonly address: string },
): void {
  if (wanted === undefined || majorVersion(wanted) === server.version) return;
  throw invalid(
    `spec.forProvider.engineVersion is "${wanted}", but server ${server.address} runs PostgreSQL ${server.version}; ${clientAdvice.matchVersion(wanted)}`,
    { kinds: ['ChangeFields'], fields: ['spec.forProvider.engineVersion'] },
  );
}
