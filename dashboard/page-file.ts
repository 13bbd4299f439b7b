/** A file of the page, with its content type. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}
