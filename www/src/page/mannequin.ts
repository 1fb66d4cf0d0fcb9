/** How many vertices the page opens with: 3,000 look like 5,000, and come sooner. Asked while building as well. */
export const MANNEQUIN_VERTICES = 3000;
