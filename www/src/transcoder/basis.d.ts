/** The parts of the Basis Universal transcoder that are used. */
declare module 'three/examples/jsm/libs/basis/basis_transcoder.js' {
  /** A KTX2 file with ETC1S or UASTC. Its members are those of C++. */
  export interface Ktx2File {
    isValid(): boolean;
    getLevels(): number;
    startTranscoding(): boolean;
    getImageLevelInfo(level: number, layer: number, face: number): { origWidth: number; origHeight: number };
    getImageTranscodedSizeInBytes(level: number, layer: number, face: number, format: number): number;
    transcodeImage(
      target: Uint8Array,
      level: number,
      layer: number,
      face: number,
      format: number,
      alphaForOpaqueFormats: number,
      firstChannel: number,
      secondChannel: number,
    ): boolean;
    close(): void;
    delete(): void;
  }

  export interface BasisModule {
    initializeBasis(): void;
    KTX2File: new (bytes: Uint8Array) => Ktx2File;
  }

  const BASIS: (options: { wasmBinary: ArrayBuffer }) => Promise<BasisModule>;
  export default BASIS;
}
