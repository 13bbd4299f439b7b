/** The default quotas of AWS for an account in a region. */
export const defaultQuotas = { vpc: 5, subnet: 200, instance: 32, 'db-instance': 40, nodegroup: 30 } as const;

export type QuotaName = keyof typeof defaultQuotas;
