/** A file of the page, as it is served. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}
