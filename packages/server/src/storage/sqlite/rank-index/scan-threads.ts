/**
 * Counts slices of rank indexes in threads of their own, which no costly read occupies. A process
 * that serves no requests counts in the main thread. There are two kinds of thread, because one
 * that lowered its priority cannot raise it again.
 */
import type { CostlyLimits } from '../../costly-reads.ts'
import type { Statement } from '../../sql/statements.ts'
import type { ReadClient } from '../../storage.ts'
import type { SqliteConnection } from '../connection.ts'
import type { ServedFile } from '../file/served-file.ts'
import { makeReadThreads } from '../read/read-threads.ts'
import type { SqliteChangeLog } from '../write/change-log.ts'
import { type BlockScan, makeBlockScan, type ScannedBlocks } from './block-scan.ts'

/** Blocks, and the sequence of the last change that the scan includes. */
export type ScanSlice = ScannedBlocks & { readonly position: number }

export type ScanBlocks = (scan: BlockScan, urgency: ScanUrgency) => Promise<ScanSlice>

/** `isWanted`: a request waits for it, so it does not yield the processor to other requests. */
type ScanUrgency = { readonly isWanted: boolean }

/** No client in particular: it never disconnects. */
const service: ReadClient = { client: '', address: '', left: () => false, onLeft: () => () => undefined }

/** A slice takes some 20 ms of a processor; one that takes this long gets no processor time. */
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
