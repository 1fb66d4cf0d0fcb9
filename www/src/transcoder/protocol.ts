/** What the page and the transcoder say to each other: one image at a time. */

export interface TranscodeRequest {
  readonly bytes: Uint8Array;
  /** Of the stored sizes of the image, the largest one up to this many pixels is chosen. */
  readonly maxSize: number;
}

/** RGBA, row by row from the top; or what is wrong. */
export type TranscodeAnswer =
  | { readonly width: number; readonly height: number; readonly pixels: Uint8ClampedArray<ArrayBuffer> }
  | { readonly error: string };
