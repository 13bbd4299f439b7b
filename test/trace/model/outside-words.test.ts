import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outsideTrouble } from '../../../trace/model/outside-words.ts';

describe('what a message tells of trouble outside', () => {
  const rows: Readonly<Record<string, readonly [message: string, trouble: string | undefined]>> = {
    'by the code that the vendor gives': [
      'create failed: cannot create instance "a": Favourite Cloud refused it (409 InstanceQuotaExceeded): 40 are allowed',
      'quota',
    ],
    'not by the name of the resource': [
      'create failed: cannot create instance "quota": Favourite Cloud refused it (409 AlreadyExists): it is there',
      'name taken',
    ],
    'nor by a name that looks like an answer': [
      'observe failed: cannot get instance "(401": Favourite Cloud is unreachable: connection refused',
      'provider down',
    ],
    'refused, where no word is known': ['update failed: cannot update instance "a": no', 'refused'],
    'nothing, where nobody spoke to it': ['cannot resolve references: no Network quota', undefined],
    'nothing, where it said that there is none': [
      'observe failed: external resource does not exist (a)',
      undefined,
    ],
  };
  for (const [name, [message, trouble]] of Object.entries(rows)) {
    test(name, () => assert.equal(outsideTrouble(message)?.name, trouble));
  }
});
