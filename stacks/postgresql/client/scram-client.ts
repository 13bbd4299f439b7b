import { createHash, createHmac, pbkdf2 } from 'node:crypto';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import { saslprep } from './saslprep.ts';

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** The state of a login in the driver, between two messages of the server. */
interface SaslSession {
  readonly clientNonce: string;
  message: string;
  response: string;
  serverSignature: string;
}

/**
 * The driver with the password that libpq would use. The driver normalises every password, and libpq does not normalise
 * some (saslprep.ts). So with the driver alone a login could succeed that fails with libpq, and the other way round. Only
 * the answer to the server's challenge is replaced, and only for a password that is not ASCII: the driver verifies the
 * server's signature.
 */
export class ScramClient extends Client {
  readonly #config: ClientConfig;

  constructor(config: ClientConfig) {
    // The driver gives up at more than 100,000 iterations, and libpq never does. Servers may ask for 600,000.
    super({ ...config, scramMaxIterations: maxIterations } as ClientConfig);
    this.#config = config;
    const { password } = config;
    if (typeof password !== 'string' || isAscii(password)) return;
    const driver = this as unknown as {
      readonly saslSession: SaslSession;
      readonly connection: {
        emit(event: 'error', error: unknown): void;
        sendSCRAMClientFinalMessage(response: string): void;
      };
      _handleAuthSASLContinue: (challenge: { readonly data: string }) => Promise<void>;
    };
    driver._handleAuthSASLContinue = async ({ data }) => {
      try {
        await answer(driver.saslSession, password, data);
        driver.connection.sendSCRAMClientFinalMessage(driver.saslSession.response);
      } catch (error) {
        driver.connection.emit('error', error);
      }
    };
  }

  /**
   * Asks the server to cancel the statement under way, over a connection of its own, as psql does on Ctrl-C. Nothing comes
   * back, and no error is of use: the statement ends, or its time limit passes. Returns a function that gives up.
   */
  cancelStatement(): () => void {
    const { processID, secretKey } = this as unknown as {
      readonly processID: number | null;
      secretKey: number;
    };
    if (processID === null) return () => {};
    const { connection, ssl } = new Client(this.#config) as unknown as Canceller;
    connection.on('error', () => {});
    connection.once('connect', () =>
      ssl ? connection.requestSsl() : connection.cancel(processID, secretKey),
    );
    connection.once('sslconnect', () => connection.cancel(processID, secretKey));
    connection.connect(this.port, this.host);
    return () => connection.stream.destroy();
  }
}

/** The parts of the driver with which a request to cancel is sent. */
interface Canceller {
  readonly ssl: unknown;
  readonly connection: {
    readonly stream: Socket;
    on(event: 'error', listener: () => void): void;
    once(event: 'connect' | 'sslconnect', listener: () => void): void;
    connect(port: number, host: string): void;
    requestSsl(): void;
    cancel(processID: number, secretKey: number): void;
  };
}

/** So that a hostile server cannot keep this process busy for long. */
const maxIterations = 10_000_000;

/** Answers the first message of the server (RFC 5802). The driver expects the answer in its session. */
async function answer(session: SaslSession, password: string, challenge: string): Promise<void> {
  const fields = new Map(challenge.split(',').map((field) => [field.slice(0, 2), field.slice(2)]));
  const nonce = fields.get('r=') ?? '';
  const salt = Buffer.from(fields.get('s=') ?? '', 'base64');
  const iterations = Number(fields.get('i='));
  const isNonceOurs = nonce.startsWith(session.clientNonce) && nonce.length > session.clientNonce.length;
  if (!isNonceOurs || salt.length === 0 || !(iterations >= 1 && iterations <= maxIterations)) {
    throw new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: the challenge is malformed');
  }
  const salted = await promisify(pbkdf2)(saslprep(password), salt, iterations, 32, 'sha256');
  const unproven = `c=biws,r=${nonce}`; // without channel binding
  const messages = `n=*,r=${session.clientNonce},${challenge},${unproven}`;
  const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const clientKey = hmac(salted, 'Client Key');
  const signature = hmac(createHash('sha256').update(clientKey).digest(), messages);
  const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
  session.message = 'SASLResponse';
  session.serverSignature = hmac(hmac(salted, 'Server Key'), messages).toString('base64');
  session.response = `${unproven},p=${proof.toString('base64')}`;
}
