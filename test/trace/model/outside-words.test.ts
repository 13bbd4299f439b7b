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
    'refused, where only the region is to be changed, in words for rights': [
      "observe failed: cannot get instance: Google Cloud (mars1) does not allow it (403 PERMISSION_DENIED): Permission denied on 'locations/mars1' (or it may not exist); change spec.forProvider.region",
      'refused',
    ],
    'and in words for credentials, where those are good elsewhere': [
      'create failed: cannot create VPC: AWS EC2 (mars-1) refused (401 AuthFailure): AWS was not able to validate; the credentials are good elsewhere: change spec.forProvider.region, or enable that region for the account',
      'refused',
    ],
    'of the credentials, where a field or those may be wrong': [
      'observe failed: cannot list VPCs: AWS EC2 (mars-1) refused (401 AuthFailure): no valid region; change spec.forProvider.region, and check the access key that the credentials of the provider hold',
      'wrong credentials',
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
