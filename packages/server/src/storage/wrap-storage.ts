/**
 * Wraps a storage, with some of its methods replaced. A wrapper must name every other method too.
 * The compiler refuses one that does not, so that new methods of the interface get a decision.
 */
import type { ReadStorage } from './storage.ts'

/** The names of the methods that a wrapper passes on unchanged. */
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
  testEach: true,
  count: true,
  page: true,
  knownTotal: true,
  summarize: true,
  walk: true,
  by: true,
  urgent: true,
} as const

/** The methods about changes, time and the database itself, which read no record for a caller. */
export const nonRecordMethods = {
  explain: true,
  changes: true,
  effects: true,
  jobs: true,
  schedules: true,
  watches: true,
  countUp: true,
  readCounter: true,
  clearCounter: true,
  findRequest: true,
  check: true,
  close: true,
} as const
