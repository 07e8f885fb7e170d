/**
 * A backup holds files: the sweep removes no bytes while one runs. The note is in the database, so
 * all processes on it know. A killed backup holds them for minutes.
 */
import { randomUUID } from 'node:crypto'
import { markedMs, whileRenewed } from '../base/marks/while-renewed.ts'
import type { ConfiguredDatabase } from './database-kind.ts'

const heldNote = 'files held'

/** Holder → until when, in milliseconds since 1970. Several backups may run at once. */
type Holders = Readonly<Record<string, number>>

async function findHolders({ kind, setup }: ConfiguredDatabase): Promise<Holders> {
  const text = await kind.findNote(setup, heldNote)
  const noted = text === undefined ? {} : (JSON.parse(text) as Holders)
  return Object.fromEntries(Object.entries(noted).filter(([, untilMs]) => untilMs > Date.now()))
}

/** Whether a backup needs the files as they are. */
export async function areFilesHeld(database: ConfiguredDatabase): Promise<boolean> {
  return Object.keys(await findHolders(database)).length > 0
}

/** Does the work while the sweep removes no bytes of files. */
export async function whileFilesHeld<T>(database: ConfiguredDatabase, work: () => Promise<T>): Promise<T> {
  const { kind, setup } = database
  const isThere = (await kind.occupation(setup)) !== undefined
  if (!isThere) return work()
  const own = randomUUID()
  // Of two that write at the same moment one is lost, until it is renewed.
  const keep = async (change: (others: Holders) => Holders) => {
    try {
      const { [own]: _, ...others } = await findHolders(database)
      await kind.keepNote(setup, heldNote, JSON.stringify(change(others)))
    } catch {
      // a sweep cannot write there either
    }
  }
  const renew = () => keep((others) => ({ ...others, [own]: Date.now() + markedMs }))
  return whileRenewed({ renew, end: () => keep((others) => others) }, work)
}
