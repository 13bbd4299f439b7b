import { arnOf } from '../account.ts';
import { queryProtocol } from '../query-protocol.ts';
import { queryRefusals } from '../refusals.ts';
import type { Service } from '../service.ts';

/** STS, as far as it says who somebody is. */
export const sts: Service = {
  name: 'sts',
  protocols: [queryProtocol({ namespace: 'https://sts.amazonaws.com/doc/2011-06-15/' })],
  refusals: queryRefusals,
  actions: {
    GetCallerIdentity: ({ account }) => ({
      Arn: arnOf(account),
      UserId: 'AIDACKCEVSQ6C2EXAMPLE',
      Account: account.id,
    }),
  },
};
