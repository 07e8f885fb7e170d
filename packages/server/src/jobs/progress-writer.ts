/** Stores how far a job is: at once, then at most once a second, and the latest at its end. */
import { unguarded } from '../record/guard/guarded-code.ts'
import { checkCallOptions, WrongCallError } from '../resource/code/call-options.ts'
import type { JobProgress } from '../resource/jobs/job-context.ts'
import { type Members, numberKind } from '../resource/members.ts'

const everyMs = 1_000
const noteLengthMax = 500

const members = {
  done: numberKind,
  total: numberKind,
  note: () => undefined, // it is printed as it is
} satisfies Members<JobProgress>

function textOf(reached: JobProgress): string {
  checkCallOptions('progress(…)', reached, members)
  const { done, total, note } = reached
  if (done === undefined) throw new WrongCallError('progress(…) needs done, a number')
  const text = note === undefined ? null : String(note).slice(0, noteLengthMax).replaceAll('\0', '').toWellFormed()
  return JSON.stringify({ done, total: total ?? null, note: text })
}

export function makeProgressWriter(write: (text: string) => Promise<void>) {
  let latest: string | null = null
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  function writeLatest(): void {
    timer = undefined
    const text = latest
    if (text === null || writing) return
    latest = null
    writing = write(text)
      .catch(() => undefined) // the next one says more
      .finally(() => {
        writing = undefined
        timer = setTimeout(writeLatest, everyMs)
        timer.unref()
      })
  }

  let ended = false
  return {
    report(reached: JobProgress): void {
      const text = textOf(reached)
      if (ended) return
      latest = text
      if (!timer && !writing) unguarded(writeLatest)
    },
    /** Returns what is not stored yet. */
    async end(): Promise<string | null> {
      ended = true
      await writing
      clearTimeout(timer)
      return latest
    },
  }
}
