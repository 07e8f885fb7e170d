/** How much one request for a list may ask for. The parsers refuse or cut anything beyond, and the documents state the limits. */
export const listLimits = {
  /** Records on a page when the request does not say. */
  pageSize: 20,
  pageSizeMax: 100,
  sortKeysMax: 8,
  /** Of `q`, in characters. */
  searchLengthMax: 256,
  /** Values of the operator `in`. */
  inValuesMax: 100,
} as const

/** How much one write by a filter may change. */
export const bulkLimits = { recordsMax: 1_000 } as const

/** How much one batch may do. */
export const batchLimits = { operationsMax: 100 } as const
