/** Vertices of the first character: 3,000 look like 5,000 and load faster. */
export const MANNEQUIN_VERTICES = 3000;
