/**
 * Where fences are counted: in threads of their own, which wait for no costly read, or here where
 * nobody else is served. There are two of them, because a thread that has yielded the processor
 * once cannot ask for it again.
 */
import type { CostlyLimits } from '../../costly-reads.ts'
import type { Statement } from '../../sql/statements.ts'
import type { ReadClient } from '../../storage.ts'
import type { SqliteConnection } from '../connection.ts'
import type { ServedFile } from '../file/served-file.ts'
import { makeReadThreads } from '../read/read-threads.ts'
import type { SqliteChangeLog } from '../write/change-log.ts'
import { type BlockScan, makeBlockScan, type ScannedBlocks } from './block-scan.ts'

/** Blocks, and the sequence of the last change that the scan has seen. */
export type ScanSlice = ScannedBlocks & { readonly position: number }

export type ScanBlocks = (scan: BlockScan, urgency: ScanUrgency) => Promise<ScanSlice>

/**
 * `isWanted`: somebody waits for it, so it does not yield the processor to those who are served.
 */
type ScanUrgency = { readonly isWanted: boolean }

/** Nobody in particular waits, and nobody leaves. */
const service: ReadClient = { client: '', address: '', left: () => false, onLeft: () => () => undefined }

/**
 * A slice takes some 20 ms of a processor; where it takes as long as this, there is none to be had.
 */
const sliceMsMax = 60_000

type ScanThreadsDeps = {
  readonly file: ServedFile
  readonly limits: CostlyLimits
  readonly settled: () => Promise<unknown>
  fail(error: Error, statement: Statement): never
}

export function makeScanThreads({ limits, ...common }: ScanThreadsDeps): {
  readonly scan: ScanBlocks
  close(): Promise<void>
} {
  const own = { ...limits, atOnce: 1, waitMsMax: sliceMsMax, readMsMax: sliceMsMax }
  const wanted = makeReadThreads({ ...common, limits: own, yields: false })
  const quiet = makeReadThreads({ ...common, limits: own })
  return {
    scan: (scan, { isWanted }) => (isWanted ? wanted : quiet).blocks(scan, { readClient: service }),
    close: async () => void (await Promise.all([wanted.close(), quiet.close()])),
  }
}

type ScanHereDeps = {
  readonly reader: SqliteConnection
  readonly present: <T>(work: () => T) => T
  readonly log: Pick<SqliteChangeLog, 'lastSeen'>
}

export function scanHere({ reader, present, log }: ScanHereDeps): ScanBlocks {
  const scan = makeBlockScan(reader)
  return async (request) => present(() => ({ ...scan(request), position: log.lastSeen() }))
}
