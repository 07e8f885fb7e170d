/**
 * Storage with some of its methods replaced. A wrapper names every other method too, so that one
 * that the interface gets later is placed by a person: the compiler refuses a wrapper that does not
 * name it.
 */
import type { StoredReads } from './storage.ts'

/** The names of the methods that a wrapper passes on as they are. */
export type PassedOn<Own> = Readonly<Record<Exclude<keyof StoredReads, keyof Own>, true>>

export function wrapped<Own extends Partial<StoredReads>>(
  storage: StoredReads,
  own: Own,
  _passedOn: PassedOn<Own>,
): StoredReads {
  return { ...storage, ...own }
}

/** Reads of records, and the storage of one caller. */
export const recordReads = {
  find: true,
  list: true,
  listEach: true,
  count: true,
  page: true,
  knownTotal: true,
  summarize: true,
  walk: true,
  by: true,
  urgent: true,
} as const

/**
 * The methods that tell of changes, of time and of the database itself, and read no record on
 * behalf of a caller.
 */
export const ownMatters = {
  explain: true,
  changes: true,
  effects: true,
  watches: true,
  countUp: true,
  readCounter: true,
  clearCounter: true,
  findRequest: true,
  check: true,
  close: true,
} as const
