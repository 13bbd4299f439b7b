/** A text as a part of an address. RFC 3986 reserves some characters that encodeURIComponent does not encode. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
