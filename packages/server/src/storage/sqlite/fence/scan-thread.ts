/** Where fences are counted: in a thread of their own, which waits for no costly read, or here where nobody else is served. */
import type { CostlyLimits } from '../../costly-reads.ts'
import type { Statement } from '../../sql/statements.ts'
import type { Asker } from '../../storage.ts'
import type { ChangeLog } from '../change-log.ts'
import type { Connection } from '../connection.ts'
import { makeReadThreads } from '../read-threads.ts'
import { type BlockScan, makeBlockScan, type ScannedBlocks } from './block-scan.ts'

/** `position`: the sequence of the last change that the scan has seen. */
type Scan = (scan: BlockScan) => Promise<ScannedBlocks & { readonly position: number }>

/** Nobody in particular waits, and nobody leaves. */
const service: Asker = { client: '', address: '', left: () => false, onLeft: () => () => undefined }

/** A slice takes some 20 ms of a processor; where it takes as long as this, there is none to be had. */
const sliceMsMax = 60_000

type Threads = {
  readonly path: string
  readonly limits: CostlyLimits
  fail(error: Error, statement: Statement): never
}

export function makeScanThread({ path, limits, fail }: Threads): { readonly scan: Scan; close(): Promise<void> } {
  const own = { ...limits, atOnce: 1, waitMsMax: sliceMsMax, readMsMax: sliceMsMax }
  const threads = makeReadThreads({ path, limits: own, fail, yields: false })
  return { scan: (scan) => threads.blocks(scan, { asker: service }), close: threads.close }
}

type Here = {
  readonly reader: Connection
  readonly present: <T>(work: () => T) => T
  readonly log: Pick<ChangeLog, 'lastSeen'>
}

export function scanHere({ reader, present, log }: Here): Scan {
  const scan = makeBlockScan(reader.database, reader.prepare)
  return async (request) => present(() => ({ ...scan(request), position: log.lastSeen() }))
}
