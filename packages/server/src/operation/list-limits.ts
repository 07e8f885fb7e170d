/**
 * The limits of one request for a list. The parsers refuse or cut larger requests, and the
 * documents state the limits.
 */
export const listLimits = {
  /** Records on a page when the request does not say. */
  pageSize: 20,
  pageSizeMax: 100,
  sortKeysMax: 8,
  /** Records of a list that is sorted through a reference: all of them are sorted. */
  farSortedMax: 10_000,
  /** Of `q`, in characters. */
  searchLengthMax: 256,
  /** Values of the operator `in`. */
  inValuesMax: 100,
  /** How deep `and`, `or`, `not` and references may stand in each other. */
  filterDepthMax: 8,
  /** Comparisons in one filter, and objects that hold them. */
  filterPartsMax: 200,
  /** References that a filter or an expansion follows, one after another. */
  relationLevelsMax: 3,
  /** Relations of one `expand`: each is a query of the database. */
  expansionsMax: 20,
  /** Records of one answer that `expand` adds, with all that is embedded in them. */
  expandedMax: 5_000,
  /** Of the texts in these records together. */
  expandedCharactersMax: 4_000_000,
} as const

/** How much one write by a filter may change. */
export const bulkLimits = { recordsMax: 1_000 } as const

/** How much one batch may do. */
export const batchLimits = { operationsMax: 100 } as const

/** How much one read of an application's code gives. */
export const codeReadLimits = { foundMax: 10_000, pageSize: 100, pageSizeMax: 1_000, walkedPage: 500 } as const
