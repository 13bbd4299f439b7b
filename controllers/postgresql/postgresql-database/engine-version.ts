/** The major version in `18`, `18.1` or `9.6`; before 10, minor versions are major ones, but no such server is served. */
export const majorVersion = (engineVersion: string): number => Number.parseInt(engineVersion, 10);

/** Throws an Error that names both versions unless the server has the one that is wanted. */
export function checkEngineVersion(
  wanted: string | undefined,
  server: { readonly version: number; readonly address: string },
): void {
  if (wanted === undefined || majorVersion(wanted) === server.version) return;
  throw new Error(
    `spec.forProvider.engineVersion is "${wanted}", but server ${server.address} runs PostgreSQL ${server.version}; choose a class of a server that runs ${wanted}`,
  );
}
