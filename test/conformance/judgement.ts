import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiErrorIn } from '../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import type { Case } from './table.ts';
import { cases, objectOf } from './table.ts';

/** The object as it is stored, in the end. */
async function written(
  client: KubernetesClient,
  { kind, before, after, labels, isStatus = false }: Case,
  name: string,
) {
  if (before === undefined) return client.create(kind, objectOf(kind, name, after, labels));
  const created = await client.create(kind, objectOf(kind, name, before));
  const { metadata } =
    before.status === undefined
      ? created
      : await client.patch(kind, created.metadata, { status: before.status }, { subresource: 'status' });
  const { status } = after as { readonly status?: object };
  if (isStatus) return client.patch(kind, metadata, { status }, { subresource: 'status' });
  return client.replace(kind, { ...objectOf(kind, name, after), metadata });
}

/** One test for each case: what an API server that knows our rules says of it, asked through a client. */
export function testJudgement(client: () => KubernetesClient): void {
  for (const [index, row] of cases.entries()) {
    const { what, refused, stored } = row;
    test(`${refused === undefined ? 'taken' : 'refused'}: ${what}`, async () => {
      const answer = written(client(), row, `row-${index}`);
      if (refused === undefined) {
        const { apiVersion: _v, kind: _k, metadata: _m, ...fields } = await answer;
        if (stored !== undefined) assert.deepEqual(fields, stored);
        return;
      }
      await assert.rejects(answer, (error) => {
        const { code, reason, message } = apiErrorIn(error) ?? { message: '' };
        assert.deepEqual([code, reason], [422, 'Invalid']);
        assert.ok(
          message.includes(`: ${refused.field}: `) || message.includes(`[${refused.field}: `),
          message,
        );
        assert.ok(message.includes(refused.message), message);
        return true;
      });
    });
  }
}
