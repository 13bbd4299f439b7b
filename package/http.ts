/* `services-stack/http`: clients for clouds with an HTTP and JSON API. */
export type { Authorization } from '../clients/authorization.ts';
export type { CloudCollection, CloudCollectionOptions } from '../clients/cloud-collection.ts';
export { cloudCollection } from '../clients/cloud-collection.ts';
export type { CloudCredentials } from '../clients/cloud-credentials.ts';
export type { CloudErrorCode } from '../clients/cloud-error.ts';
export { CloudError, isConflicting, isMissing, isUncertain } from '../clients/cloud-error.ts';
export type { ExternalErrorClass } from '../clients/external-error.ts';
export type { Carrier, HttpClient, HttpClientOptions, HttpRequest, TokenSource } from '../clients/http.ts';
export { httpClient } from '../clients/http.ts';
export type { VendorError } from '../clients/http-failure.ts';
export type { Clock } from '../runtime/time/clock.ts';
export { realClock } from '../runtime/time/clock.ts';
