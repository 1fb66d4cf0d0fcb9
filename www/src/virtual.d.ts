declare module 'virtual:pliant-options' {
  export const OPTIONS: import('./wasm.ts').Options;
}
