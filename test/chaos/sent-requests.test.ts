import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentRequests } from './sent-requests.ts';

test('a request that a client sends is whole only with its body, wherever it is cut', () => {
  const body = 'Action=DeleteVpc&VpcId=vpc-1';
  const text = `POST / HTTP/1.1\r\nhost: cloud\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (let at = 1; at < text.length; at += 1) {
    const sent = sentRequests();
    assert.equal(sent.add(1, Buffer.from(text.slice(0, at))), undefined);
    const { method, path, body: read } = sent.add(1, Buffer.from(text.slice(at))) ?? {};
    assert.deepEqual({ method, path, body: read }, { method: 'POST', path: '/', body });
  }
});
