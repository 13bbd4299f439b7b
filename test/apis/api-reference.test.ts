import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { apiReference } from '../../apis/api-reference.ts';
import { optional, text } from '../../apis/core/schema.ts';
import { defineManaged } from '../../apis/core/v1alpha1/define-managed.ts';

const names = { group: 'example.org', version: 'v1', kind: 'Box', plural: 'boxes', stack: 'boxes' };
const forProvider = z.object({}).describe('The box as it should be.');

test('the reference lists the entries of the connection Secret, in the order of their declaration', () => {
  const connectionDetails = { endpoint: text('Where it is.'), uri: optional(text('Where|how.')) };
  const box = defineManaged({ ...names, description: 'A box.', connectionDetails }, forProvider, {});
  assert.match(
    apiReference([box]),
    /^\| Entry \| Description \|\n\| --- \| --- \|\n\| `endpoint` \* \| Where it is\. \|\n\| `uri` \| Where\\\|how\. \|\n$/m,
  );
});

test('a kind without connection details has no such table', () => {
  const box = defineManaged({ ...names, description: 'A box.' }, forProvider, {});
  assert.doesNotMatch(apiReference([box]), /connection Secret/);
});
