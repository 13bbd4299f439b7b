import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { realClock } from '../../../../runtime/time/clock.ts';
import type { MysqlError } from '../../../../stacks/mysql/client/error.ts';
import { createMysqlServer } from '../../../../stacks/mysql/client/server.ts';

/** The beginning of a conversation, as a MariaDB without TLS writes it. */
const greeting = Buffer.concat([
  Buffer.from([74, 0, 0, 0, 10]),
  Buffer.from('5.5.5-10.11.1-MariaDB\0'),
  ...[
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('12345678\0'),
    Buffer.from([0xff, 0xf7, 8, 2, 0, 0xff, 0x81, 21]),
  ],
  ...[Buffer.alloc(10), Buffer.from('123456789012\0mysql_native_password\0')],
]);

/** Programs at the address of the credentials, and the error about each. */
const peers: Readonly<Record<string, readonly [act: (socket: Socket) => void, code: string, words: RegExp]>> =
  {
    'says nothing': [() => {}, 'Unreachable', /is unreachable: timed out$/],
    'closes the connection': [(socket) => socket.end(), 'Unreachable', /is unreachable: connection lost$/],
    'is a web server': [
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'Unreachable',
      /is unreachable: connection lost$/,
    ],
    'is another server': [
      (socket) => socket.write('SSH-2.0-OpenSSH_9.2p1\r\n'),
      'Unreachable',
      /is unreachable: timed out$/,
    ],
    'says nothing after its greeting': [
      (socket) => socket.write(greeting),
      'Unreachable',
      /is unreachable: timed out$/,
    ],
    'has no TLS': [(socket) => socket.write(greeting), 'TlsFailed', /does not offer TLS/],
  };

describe('a peer that', () => {
  for (const [name, [act, code, words]] of Object.entries(peers)) {
    test(name, async () => {
      const sockets: Socket[] = [];
      const listening = createServer((socket) => {
        sockets.push(socket.on('error', () => {}));
        act(socket);
      }).listen(0, '127.0.0.1');
      await once(listening, 'listening');
      const { port } = listening.address() as AddressInfo;
      const login = {
        username: 'admin',
        password: 'x',
        sslmode: code === 'TlsFailed' ? 'require' : 'disable',
      } as const;
      const server = createMysqlServer({
        clock: realClock(),
        random: Math.random,
        connectTimeoutMs: 300,
        connectionWaitMs: 0,
        credentials: { endpoint: '127.0.0.1', port, ...login },
      });
      try {
        await assert.rejects(server.facts(), (error: MysqlError) => {
          assert.equal(error.code, code);
          assert.match(error.message, words);
          return true;
        });
      } finally {
        await server.close();
        for (const socket of sockets) socket.destroy();
        listening.close();
      }
    });
  }
});
