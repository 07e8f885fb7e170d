/** Counts what an engine reads of its records, so that a test can tell a kept answer from one that was made. */
import type { Engine } from '../../src/perform/engine.ts'

/** Returns how many reads there were so far. */
export function countReads({ storage }: Engine): () => number {
  let reads = 0
  const counting = storage as { -readonly [Name in keyof typeof storage]: (typeof storage)[Name] }
  const { find, list, page, count } = storage
  counting.find = (...args) => {
    reads += 1
    return find(...args)
  }
  counting.list = (...args) => {
    reads += 1
    return list(...args)
  }
  counting.page = (...args) => {
    reads += 1
    return page(...args)
  }
  counting.count = (...args) => {
    reads += 1
    return count(...args)
  }
  return () => reads
}
