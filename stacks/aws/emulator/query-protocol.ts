import { AwsProblem } from './problem.ts';
import type { Params, Protocol } from './service.ts';
import { isXmlText, xmlOf } from './xml.ts';

interface QueryProtocolOptions {
  /** Of its answers: `http://ec2.amazonaws.com/doc/2016-11-15/`. */
  readonly namespace: string;
}

const headers = { 'content-type': 'text/xml;charset=UTF-8' };

/** The query protocol as EC2 has it: answers without a wrapper, and errors of their own form. */
export const ec2Protocol = ({ namespace }: QueryProtocolOptions): Protocol => ({
  name: 'ec2',
  read: readForm,
  answer: (action, output, requestId) => ({
    status: 200,
    headers,
    text: `<?xml version="1.0" encoding="UTF-8"?>\n<${action}Response xmlns="${namespace}">${xmlOf({ requestId, ...output })}</${action}Response>`,
  }),
  refusal: ({ status, code, message, headers: more }, requestId) => ({
    status,
    headers: { ...headers, ...more },
    text: `<?xml version="1.0" encoding="UTF-8"?>\n${xmlOf({
      Response: { Errors: { Error: { Code: code, Message: message } }, RequestID: requestId },
    })}`,
  }),
});

/** The query protocol of all other services that speak it. */
export const queryProtocol = ({ namespace }: QueryProtocolOptions): Protocol => ({
  name: 'query',
  read: readForm,
  answer: (action, output, requestId) => ({
    status: 200,
    headers,
    text: `<${action}Response xmlns="${namespace}">${xmlOf({
      [`${action}Result`]: output,
      ResponseMetadata: { RequestId: requestId },
    })}</${action}Response>`,
  }),
  refusal: ({ status, code, queryCode, message, headers: more }, requestId) => ({
    status,
    headers: { ...headers, ...more },
    text: `<ErrorResponse xmlns="${namespace}">${xmlOf({
      Error: { Type: status < 500 ? 'Sender' : 'Receiver', Code: queryCode ?? code, Message: message },
      RequestId: requestId,
    })}</ErrorResponse>`,
  }),
});

const readForm: Protocol['read'] = ({ headers, body }) => {
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return undefined;
  const form = new URLSearchParams(body);
  for (const [name, value] of form) if (!isXmlText(name + value)) throw notInXml(name);
  const { Action: action, Version: _version, ...flat } = Object.fromEntries(form);
  return action === undefined ? undefined : { action, params: nested(flat) };
};

/** Refuses a text that XML cannot contain. */
const notInXml = (name: string): AwsProblem =>
  new AwsProblem(
    'InvalidParameterValue',
    `The value of parameter ${isXmlText(name) ? name : '(of a name with such characters)'} contains characters that are not valid in XML.`,
  );

/** `Filter.1.Name=vpc-id` → `{ Filter: [{ Name: 'vpc-id' }] }`: what is numbered from 1 is a list. */
export function nested(flat: Readonly<Record<string, string>>): Params {
  const root: Branch = {};
  for (const [path, value] of Object.entries(flat)) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    let at = root;
    for (const step of steps) {
      const next = at[step];
      const branch: Branch = typeof next === 'object' ? next : {};
      at[step] = branch;
      at = branch;
    }
    at[last] = value;
  }
  return listed(root) as Params;
}

interface Branch {
  [name: string]: string | Branch;
}

function listed(node: string | Branch): unknown {
  if (typeof node === 'string') return node;
  const names = Object.keys(node);
  const isList = names.length > 0 && names.every((name) => /^\d+$/.test(name));
  if (!isList) return Object.fromEntries(names.map((name) => [name, listed(node[name]!)]));
  return names.toSorted((a, b) => Number(a) - Number(b)).map((name) => listed(node[name]!));
}
