/**
 * A backup holds files: the sweep removes no bytes while one runs. The note is in the database, so
 * all processes on it know. A killed backup holds them for minutes.
 */
import { randomUUID } from 'node:crypto'
import type { ConfiguredDatabase } from './database-kind.ts'

const heldNote = 'files held'
const heldMs = 10 * 60_000
const renewMs = 60_000

type HeldNote = { readonly by: string; readonly untilMs: number }

function parse(text: string | undefined): HeldNote | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as HeldNote)
}

async function keep({ kind, setup }: ConfiguredDatabase, note: HeldNote): Promise<void> {
  try {
    await kind.keepNote(setup, heldNote, JSON.stringify(note))
  } catch {
    // a sweep cannot write there either
  }
}

/** Whether a backup needs the files as they are. */
export async function areFilesHeld({ kind, setup }: ConfiguredDatabase): Promise<boolean> {
  return (parse(await kind.findNote(setup, heldNote))?.untilMs ?? 0) > Date.now()
}

/** Does the work while the sweep removes no bytes of files. */
export async function whileFilesHeld<T>(database: ConfiguredDatabase, work: () => Promise<T>): Promise<T> {
  const { kind, setup } = database
  const isThere = (await kind.occupation(setup)) !== undefined
  if (!isThere) return work()
  const by = randomUUID()
  const renew = () => keep(database, { by, untilMs: Date.now() + heldMs })
  await renew()
  const timer = setInterval(() => void renew(), renewMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    // another backup may hold them too
    const isOwn = parse(await kind.findNote(setup, heldNote).catch(() => undefined))?.by === by
    if (isOwn) await keep(database, { by, untilMs: 0 })
  }
}
