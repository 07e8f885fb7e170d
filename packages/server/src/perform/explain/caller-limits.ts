/**
 * Judges the limits that the engine's own steps set to a caller, as the write would judge them.
 * They stand beside the rules of the declaration: the roles that a caller gives, the keys that it
 * makes.
 */
import { ApiError } from '../../errors.ts'
import type { RecordBody } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Row, Values } from '../../storage/storage.ts'
import type { Engine } from '../engine.ts'
import { requestedWriteOf } from '../request-stages.ts'
import { defaultContext, resolveDefaults } from '../values.ts'

export type ExplainedLimit = {
  readonly at: string
  /** The limit in words. */
  readonly rule: string
  /** Whether the write asks once the record is stored. */
  readonly isLast: boolean
  /** Undefined where it holds. */
  readonly refusal: ApiError | undefined
}

type LimitedWrite = {
  readonly before: Row | undefined
  readonly body?: RecordBody
  /** The record that the write would make. */
  readonly row?: Values | undefined
}

async function refusalOf(check: () => void | Promise<void>): Promise<ApiError | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    // Values that are wrong for every caller are no matter of access.
    if (!(error instanceof ApiError)) throw error
    return error.code === 'forbidden' ? error : undefined
  }
}

/** Each limit of the resource that applies to the write. */
export async function judgeLimits(
  engine: Engine,
  permitted: Permitted,
  { before, body, row }: LimitedWrite,
): Promise<readonly ExplainedLimit[]> {
  const { catalog, storage } = engine
  const { operation } = permitted
  const { limit: limits } = engine.stagesOf(operation.resource)
  const values = body ? resolveDefaults(operation.resource, body, defaultContext(engine, permitted)) : {}
  const judged = {
    ...requestedWriteOf(engine, permitted),
    values,
    before,
    row,
    reader: { catalog, find: storage.find },
  }
  const explained: ExplainedLimit[] = []
  const { kind } = operation
  for (const { at, words, kinds, asksStored = [], check } of limits) {
    if (!kinds.includes(kind)) continue
    const refusal = await refusalOf(() => check(judged))
    explained.push({ at, rule: words, isLast: asksStored.includes(kind), refusal })
  }
  return explained
}
