/** Defaults and choices of all parameters, from `pliant site-assets` (see vite.config.ts). */
export { OPTIONS } from 'virtual:pliant-options';
