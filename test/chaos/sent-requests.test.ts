import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SentRequest } from './sent-requests.ts';
import { sentRequests } from './sent-requests.ts';

const request = (method: string, path: string, body = '', headers: Record<string, string> = {}) => {
  const all = { host: 'cloud', 'Content-Length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
};

/** All requests that pieces, each of a connection, make. */
function read(...pieces: readonly (readonly [connection: number, text: string])[]) {
  const sent = sentRequests();
  return pieces
    .flatMap(([connection, text]) => sent.add(connection, Buffer.from(text)) ?? [])
    .map(({ method, path, body }: SentRequest) => ({ method, path, body }));
}

describe('the requests that clients send are read', () => {
  test('each is whole only with its body, wherever it is cut', () => {
    const text = request('POST', '/', 'Action=DeleteVpc&VpcId=vpc-1');
    for (let at = 1; at < text.length; at += 1) {
      const pieces = read([1, text.slice(0, at)], [1, text.slice(at)]);
      assert.deepEqual(pieces, [{ method: 'POST', path: '/', body: 'Action=DeleteVpc&VpcId=vpc-1' }]);
    }
  });

  test('each connection has its own, one after the other', () => {
    const text = request('POST', '/', 'one');
    const other = request('DELETE', '/two');
    assert.deepEqual(read([1, text.slice(0, 20)], [2, other], [1, text.slice(20)], [1, other]), [
      { method: 'DELETE', path: '/two', body: '' },
      { method: 'POST', path: '/', body: 'one' },
      { method: 'DELETE', path: '/two', body: '' },
    ]);
  });

  test('names of headers are in lower case', () => {
    const text = request('POST', '/', '', { 'X-Amz-Target': 'AmazonSQS.CreateQueue' });
    const whole = sentRequests().add(1, Buffer.from(text));
    assert.equal(whole?.headers.get('x-amz-target'), 'AmazonSQS.CreateQueue');
  });

  test('a part is forgotten when its connection is a new one, and text that is no request is left out', () => {
    const sent = sentRequests();
    assert.equal(sent.add(1, Buffer.from('POST / HTTP/1.1\r\n')), undefined);
    sent.begin(1);
    assert.equal(sent.add(1, Buffer.from(request('GET', '/x')))?.path, '/x');
    assert.equal(sent.add(1, Buffer.from('nonsense\r\n\r\n')), undefined);
  });
});
