/**
 * Storage with some of its methods replaced. A wrapper names every other method too, so that one
 * that the interface gets later is placed by a person: the compiler refuses a wrapper that does not
 * name it.
 */
import type { ReadStorage } from './storage.ts'

/** The names of the methods that a wrapper passes on as they are. */
export type PassedThrough<Own> = Readonly<Record<Exclude<keyof ReadStorage, keyof Own>, true>>

export function wrapStorage<Own extends Partial<ReadStorage>>(
  storage: ReadStorage,
  own: Own,
  _passedOn: PassedThrough<Own>,
): ReadStorage {
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
export const nonRecordMethods = {
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
