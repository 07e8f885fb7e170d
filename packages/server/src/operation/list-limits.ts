/** How much a list may ask for at once. The parsers refuse or cut what is more, and the documents say so. */
export const listLimits = {
  /** Records on a page, unless the request says. */
  pageSize: 20,
  pageSizeMax: 100,
  sortKeysMax: 8,
  /** Of `q`, in characters. */
  searchLengthMax: 256,
  /** Values of the operator `in`. */
  inValuesMax: 100,
} as const
