import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { jsonProtocol } from '../../../../stacks/aws/emulator/json-protocol.ts';
import { AwsProblem } from '../../../../stacks/aws/emulator/problem.ts';
import { ec2Protocol, nested, queryProtocol } from '../../../../stacks/aws/emulator/query-protocol.ts';
import { restProtocol } from '../../../../stacks/aws/emulator/rest-protocol.ts';
import { isXmlText, xmlOf } from '../../../../stacks/aws/emulator/xml.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
const refusal = new AwsProblem('NotThere', 'there is no <x>', { status: 404, queryCode: 'Old.NotThere' });
const namespace = 'http://example.org/';

const eleven = Array.from({ length: 11 }, (_, index) => `${index + 1}`);

describe('the query protocol', () => {
  const parameters: readonly (readonly [Record<string, string>, object])[] = [
    [{}, {}],
    [
      { Name: 'a', 'Nested.Value': 'b', 'Filter.1.Value.2': 'b', 'Filter.1.Value.1': 'a' },
      { Name: 'a', Nested: { Value: 'b' }, Filter: [{ Value: ['a', 'b'] }] },
    ],
    [{ 'Tags.Tag.1.Key': 'k' }, { Tags: { Tag: [{ Key: 'k' }] } }],
    [Object.fromEntries(eleven.map((id) => [`Id.${id}`, id])), { Id: eleven }],
  ];
  for (const [flat, tree] of parameters) {
    test(`reads ${JSON.stringify(flat).slice(0, 60)}`, () => assert.deepEqual(nested(flat), tree));
  }

  const query = queryProtocol({ namespace });
  test('reads only a form', () => {
    const request = { method: 'POST', target: '/', headers: form, body: 'Action=Do&Version=1&Name=a%20b' };
    assert.deepEqual(query.read(request), { action: 'Do', params: { Name: 'a b' } });
    assert.equal(query.read({ ...request, headers: {} }), undefined);
    assert.equal(query.read({ ...request, body: 'Name=a' }), undefined);
  });

  for (const [name, body] of Object.entries({
    value: 'Action=Do&Name=%07',
    name: 'Action=Do&Na%1Bme=a',
    action: 'Action=%1B',
  })) {
    test(`refuses a ${name} that XML cannot contain, and does not repeat it`, () => {
      const request = { method: 'POST', target: '/', headers: form, body };
      for (const protocol of [query, ec2Protocol({ namespace })]) {
        assert.throws(
          () => protocol.read(request),
          (error) =>
            error instanceof AwsProblem && error.code === 'InvalidParameterValue' && isXmlText(error.message),
        );
      }
    });
  }

  test('refuses with the code of the query protocol', () => {
    assert.deepEqual(query.refusal(refusal, 'id'), {
      status: 404,
      headers: { 'content-type': 'text/xml;charset=UTF-8' },
      text: '<ErrorResponse xmlns="http://example.org/"><Error><Type>Sender</Type><Code>Old.NotThere</Code><Message>there is no &lt;x&gt;</Message></Error><RequestId>id</RequestId></ErrorResponse>',
    });
  });
});

test('XML has an element for each item of an array, and none for undefined', () => {
  const tree = {
    set: { item: [{ id: 'a' }, { id: 'b & c' }] },
    none: undefined,
    empty: { item: [] },
    isOn: false,
  };
  assert.equal(
    xmlOf(tree),
    '<set><item><id>a</id></item><item><id>b &amp; c</id></item></set><empty></empty><isOn>false</isOn>',
  );
});

test('XML contains only valid characters, and escapes those that a reader would change', () => {
  assert.equal(
    xmlOf({ a: '\u0007\u001b[31mred\ufffe\ud800', b: 'one\r\n\ttwo 😀' }),
    '<a>\ufffd\ufffd[31mred\ufffd\ufffd</a><b>one&#xD;\n\ttwo 😀</b>',
  );
});

describe('JSON', () => {
  const json = jsonProtocol({ target: 'AmazonSQS', namespace: 'com.amazonaws.sqs' });
  const request = (headers: Record<string, string>, body = '{"QueueName":"q"}') => ({
    method: 'POST',
    target: '/',
    headers,
    body,
  });
  test('reads the action from its header', () => {
    assert.deepEqual(json.read(request({ 'x-amz-target': 'AmazonSQS.CreateQueue' })), {
      action: 'CreateQueue',
      params: { QueueName: 'q' },
    });
    assert.equal(json.read(request({ 'x-amz-target': 'Other.CreateQueue' })), undefined);
    assert.throws(() => json.read(request({ 'x-amz-target': 'AmazonSQS.CreateQueue' }, '[]')), {
      code: 'SerializationException',
    });
  });
  test('refuses with its own code, and has the old code in a header', () => {
    assert.deepEqual(json.refusal(refusal, 'id'), {
      status: 404,
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-query-error': 'Old.NotThere;Sender' },
      text: '{"__type":"com.amazonaws.sqs#NotThere","message":"there is no <x>"}',
    });
  });
});

describe('REST', () => {
  const rest = restProtocol({
    'GET /clusters/{name}/node-groups/{nodegroupName}': 'DescribeNodegroup',
    'POST /clusters/{name}/node-groups': 'CreateNodegroup',
  });
  const read = (method: string, target: string, body = '') =>
    rest.read({ method, target, headers: {}, body });
  test('reads the action and its parameters from method, path, query and body', () => {
    assert.deepEqual(read('GET', '/clusters/a%20b/node-groups/c?x=1&y=2&y=3'), {
      action: 'DescribeNodegroup',
      params: { name: 'a b', nodegroupName: 'c', x: '1', y: ['2', '3'] },
    });
    assert.deepEqual(read('POST', '/clusters/a/node-groups', '{"subnets":["s"],"name":"other"}'), {
      action: 'CreateNodegroup',
      params: { name: 'a', subnets: ['s'] },
    });
    assert.equal(read('DELETE', '/clusters/a/node-groups'), undefined);
  });
});
