import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

/**
 * How long a connection waits for one of the addresses of a name before it tries the next. Node waits 250 ms, which is less
 * than the way to another region, or over a VPN, may take; and the other address may have no route. Two packets may be lost
 * within this time (they are repeated after 1 s and 3 s). It is less than half of the time for a connection (10 s), so that
 * an address that does not answer leaves time for the next.
 */
const attemptMs = 4_000;

/** Applies to all connections of the process: to the API server, clouds, databases and Vault. */
export const makeConnectionsPatient = (): void => setDefaultAutoSelectFamilyAttemptTimeout(attemptMs);
