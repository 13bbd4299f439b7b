const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Whether an object can have the name: a DNS subdomain, which the API server requires. */
export const isObjectName = (name: string): boolean => name.length <= 253 && subdomain.test(name);
