/** Defaults and choices, as the Rust side knows them. */
export { OPTIONS } from 'virtual:pliant-options';
