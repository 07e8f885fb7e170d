/**
 * Runs the seeds of an application, each in one transaction. Their writes pass the same stages as
 * all others.
 */
import { isDeepStrictEqual } from 'node:util'
import { nowOf } from '../../base/clock.ts'
import { boundRecords } from '../../code/bound-records.ts'
import { codeEngineOf } from '../../code/judged-engine.ts'
import { ApiError, StartError } from '../../errors.ts'
import { boundJobs } from '../../record/jobs/add-job.ts'
import { boundMail } from '../../record/mails/leave-mail.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { CodeLog } from '../../resource/code/code-context.ts'
import type { Records } from '../../resource/code/code-records.ts'
import { type DeclaredSeed, type PutRecord, type SeedCode, seedType } from '../../resource/parts/define-seed.ts'
import { findMeant } from '../../resource/words/nearest.ts'
import { type Author, serviceAuthor } from '../../storage/changes.ts'

export type SeedOutcome = {
  readonly name: string
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}
type SeedCounts = { created: number; updated: number; unchanged: number }
type SeededEngine = Parameters<typeof codeEngineOf>[0]
type SeedRun = {
  readonly log: CodeLog
  /** Told of each record that was put. */
  progress?(name: string, records: number): void
}

/** Throws `StartError` for a name that no seed has. */
export function seedsOf({ catalog }: Pick<SeededEngine, 'catalog'>, wanted?: readonly string[]): DeclaredSeed[] {
  const all = catalog.parts.of(seedType)
  const names = all.map(({ partName }) => partName)
  const unknown = wanted?.find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new StartError(
      `there is no seed "${unknown}"${findMeant(unknown, names) || `; there are ${names.join(', ') || 'none'}`}`,
    )
  return all.filter(({ partName }) => wanted?.includes(partName) ?? true)
}

type Putting = {
  readonly tx: RecordTransaction
  readonly records: SeedCode['records']
  readonly counts: SeedCounts
  told(): void
}

function keyOf(name: string, key: readonly string[], values: Readonly<Record<string, unknown>>) {
  for (const field of key)
    if (values[field] === undefined || values[field] === null)
      throw new Error(`put(${name}): the key ${field} has no value`)
  return Object.fromEntries(key.map((field) => [field, values[field]]))
}

function makePut({ tx, records, counts, told }: Putting): PutRecord {
  return async (handle, given, all) => {
    const resource = tx.catalog.get(handle.name)
    const key = [given].flat() as readonly string[]
    const values = all as Readonly<Record<string, unknown>>
    const own = records(handle) as unknown as Records
    const [found, other] = await own.list(keyOf(handle.name, key, values))
    if (other) throw new Error(`put(${handle.name}): several records have this ${key.join(' and ')}`)
    told()
    if (!found) {
      counts.created += 1
      return (await own.create(values as never)) as never
    }
    const row = found as Readonly<Record<string, unknown>>
    const differs = ([name, value]: readonly [string, unknown]) =>
      resource.fields[name] !== undefined &&
      resource.fields[name].type.secret === undefined &&
      name in row &&
      !isDeepStrictEqual(row[name], value)
    const changes = Object.fromEntries(Object.entries(values).filter(differs))
    if (Object.keys(changes).length === 0) {
      counts.unchanged += 1
      return found as never
    }
    counts.updated += 1
    return (await own.update(row[resource.idField] as never, changes)) as never
  }
}

function refuse(sentence: string): never {
  throw new ApiError('conflict', sentence)
}

async function runSeed(engine: SeededEngine, { partName, seed }: DeclaredSeed, run: SeedRun): Promise<SeedOutcome> {
  const code = codeEngineOf(engine)
  const author: Author = { ...serviceAuthor, ...(seed.effects ? {} : { isQuiet: true }) }
  let counts: SeedCounts = { created: 0, updated: 0, unchanged: 0 }
  await engine.records.transaction(author, async (tx) => {
    counts = { created: 0, updated: 0, unchanged: 0 }
    const records = boundRecords(code, tx)
    const told = () => run.progress?.(partName, counts.created + counts.updated + counts.unchanged)
    const put = makePut({ tx, records, counts, told })
    const { log } = run
    const inside = { records, jobs: boundJobs(tx), mail: boundMail(tx), put, log, refuse }
    await seed.run({ now: nowOf(engine)(), settings: engine.settings as SeedCode['settings'], ...inside })
  })
  return { name: partName, ...counts }
}

/** In the order of the list. Throws the error of a seed, which has changed nothing then. */
export async function runSeeds(
  engine: SeededEngine,
  seeds: readonly DeclaredSeed[],
  run: SeedRun,
): Promise<readonly SeedOutcome[]> {
  const outcomes: SeedOutcome[] = []
  for (const seed of seeds) outcomes.push(await runSeed(engine, seed, run))
  return outcomes
}
