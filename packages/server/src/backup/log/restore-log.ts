/** A database as it was at a moment: a whole copy, and what its log says after it. */
import { StartError } from '../../errors.ts'
import type { DatabaseKind, SecretName } from '../../storage/database-kind.ts'
import { kindOf } from '../backup-work.ts'
import { putBackSecrets } from '../drawn-secrets.ts'
import type { Manifest } from '../manifest.ts'
import { unpack } from '../pack.ts'
import type { Place } from '../places/place.ts'
import {
  type OpenedBackup,
  openBackup,
  type RestoreOrder,
  refuseOccupied,
  type Unpacked,
  unpackInto,
} from '../restore-backup.ts'
import { aliveName, findMoment, logFolder, type Moment, parseStreams } from './log-names.ts'

export type FoundMoment = Moment & {
  /** Every write that was acknowledged before this time is there again (milliseconds since 1970). */
  readonly untilMs: number
}

/** More than that it never has. */
const aliveBytesMax = 1_000

async function beginningOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = Buffer.alloc(0)
  for await (const chunk of chunks) {
    text = Buffer.concat([text, chunk])
    if (text.length > aliveBytesMax) break
  }
  return text.toString()
}

/** Until when nothing more was written, if that is known and after the last stretch. */
async function aliveUntil(place: Place, { stream, base, stretches }: Moment, atMs: number): Promise<number> {
  const last = stretches.at(-1)
  const untilMs = last?.untilMs ?? base.untilMs
  try {
    const said = JSON.parse(await beginningOf(await place.read(aliveName(stream)))) as {
      number: number
      untilMs: number
    }
    const isOfLast = said.number === (last?.number ?? base.first - 1)
    return isOfLast ? Math.max(untilMs, Math.min(said.untilMs, atMs)) : untilMs
  } catch {
    return untilMs
  }
}

/** The latest moment in a place that is not after `atMs`. Undefined where it has no copies of a log, or none from so far back. */
export async function findInPlace(place: Place, atMs: number): Promise<FoundMoment | undefined> {
  const streams = parseStreams((await place.list(logFolder)).map(({ name }) => name))
  const moment = findMoment(streams, atMs)
  return moment && { ...moment, untilMs: await aliveUntil(place, moment, atMs) }
}

/** `folder`: an empty one for what is made on the way. */
export type MomentOrder = {
  readonly place: Place
  readonly moment: FoundMoment
  readonly identities: readonly string[]
  readonly folder: string
}

async function* stretchesOf({ place, moment, identities }: MomentOrder): AsyncGenerator<AsyncIterable<Buffer>> {
  for (const { name } of moment.stretches) yield unpack(await place.read(name), identities)
}

/**
 * The whole copy with all that its log says after it, made in the folder and looked at. `into`: the only kind that is of use. Throws
 * `StartError` for what is damaged or missing.
 */
export async function makeMoment(
  order: MomentOrder,
  into?: DatabaseKind,
): Promise<Unpacked & Pick<OpenedBackup, 'manifest'>> {
  const { place, moment, identities, folder } = order
  const opened = await openBackup(await place.read(moment.base.name), identities)
  const { manifest } = opened
  const kind = kindOf(manifest.database)
  const { ownLog, ownBackup } = kind
  if (!ownLog || !ownBackup || (into && into !== kind))
    throw new StartError(`Copies of a log of ${manifest.database} go into ${kind.form} alone; copy it from there`)
  const { file, secrets } = await unpackInto(opened, folder)
  await ownLog.apply(file, stretchesOf(order))
  return { file, secrets, manifest: { ...manifest, tables: await ownBackup.count(file) } }
}

/** Returns what is there now. Throws `StartError` with one clear reason; then the place is as empty as before. */
export async function restoreMoment(
  order: MomentOrder & Pick<RestoreOrder, 'database' | 'wanted'>,
): Promise<{ readonly tables: Manifest['tables']; readonly secrets: readonly SecretName[] }> {
  const { database, wanted } = order
  await refuseOccupied(database)
  const { file, secrets, manifest } = await makeMoment(order, database.kind)
  await database.kind.ownBackup?.putBack(database.setup, file)
  return { tables: manifest.tables, secrets: await putBackSecrets(database, secrets, wanted) }
}
