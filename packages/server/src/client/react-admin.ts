/** x */
export const a = 1
