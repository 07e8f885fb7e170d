/**
 * Judges the later chunks of a list that is sent while it is read. A chunk is sent only where its
 * caller may still read all of its records, and the same fields. Rights elsewhere may change.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../errors.ts'
import type { ExportOperation, ListOperation } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Row } from '../../storage/storage.ts'
import type { Engine } from '../engine.ts'
import { judgeAgain } from '../rights/judge-again.ts'
import { resolveUnder } from './find.ts'
import { judgeRows } from './judge-rows.ts'

type StreamedList = Permitted<ExportOperation | ListOperation>

/** The permission by which a chunk is completed. Throws where it may not be sent. */
export function makeChunkJudge(engine: Engine, begun: StreamedList): (rows: readonly Row[]) => Promise<StreamedList> {
  const { catalog, storage: reader } = engine
  const { resource, under } = begun.operation
  let judged = begun
  return async (rows) => {
    judged = await judgeAgain(engine, judged)
    if (judged === begun) return begun
    if (under) await resolveUnder(reader, under, judged.steps)
    const held = await judgeRows({ catalog, reader }, { resource, rows, conditions: new Map([['read', judged.read]]) })
    if (held.every((names) => names.has('read')) && isDeepStrictEqual(judged.visible, begun.visible)) return judged
    throw new ApiError('forbidden', 'The rights of the caller have changed during the response')
  }
}
