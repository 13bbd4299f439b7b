import { AwsProblem } from './problem.ts';
import type { Params, Protocol } from './service.ts';

interface JsonProtocolOptions {
  /** The prefix of the header X-Amz-Target: `AmazonSQS`. */
  readonly target: string;
  /** Of its errors: `com.amazonaws.sqs`. */
  readonly namespace: string;
}

const headers = { 'content-type': 'application/x-amz-json-1.0' };

/** JSON with the action in a header, such as the protocol of SQS. */
export const jsonProtocol = ({ target, namespace }: JsonProtocolOptions): Protocol => ({
  name: 'json',
  read({ headers: given, body }) {
    const [service, action] = given['x-amz-target']?.split('.') ?? [];
    return service === target && action !== undefined ? { action, params: parsed(body) } : undefined;
  },
  answer: (_action, output) => ({ status: 200, headers, text: JSON.stringify(output) }),
  refusal: ({ status, code, queryCode, message, headers: more }) => ({
    status,
    headers: {
      ...headers,
      ...more,
      ...(queryCode !== undefined && {
        'x-amzn-query-error': `${queryCode};${status < 500 ? 'Sender' : 'Receiver'}`,
      }),
    },
    text: JSON.stringify({ __type: `${namespace}#${code}`, message }),
  }),
});

/** The parameters in a body of JSON; none in an empty one. Throws AwsProblem. */
export function parsed(body: string): Params {
  if (body === '') return {};
  try {
    const params: unknown = JSON.parse(body);
    if (typeof params === 'object' && params !== null && !Array.isArray(params)) return params as Params;
  } catch {
    // reported below
  }
  throw new AwsProblem('SerializationException', 'the body is no JSON object');
}
