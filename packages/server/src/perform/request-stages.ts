/**
 * Runs the write steps of a request. Every path of `perform/` makes one of these and calls its
 * stages, so none can leave out a step. A resource without steps uses one that does nothing.
 */
import type { Operation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { DraftValues, RequestedWrite, Revealed, StageInputWithRow } from '../record/requested-write.ts'
import type { WriteStages } from '../record/stages.ts'
import type { Row } from '../storage/storage.ts'
import type { Engine } from './engine.ts'

type WorkValues = {
  readonly values: DraftValues
  readonly before?: Row | undefined
  readonly first?: () => Promise<void>
}

export type RequestStageRunner = {
  isCostly(values: DraftValues): boolean
  check(values: DraftValues, before?: Row): Promise<void>
  /** Whether hooks prepare such writes, so that the record is found and judged before. */
  readonly prepares: boolean
  /** The transaction of this one write, with the value that its hook has prepared. */
  prepare(values: DraftValues, before?: Row): Promise<GivePrepared>
  prove(before: Row, values: DraftValues): Promise<void>
  work(working: WorkValues): Promise<Revealed | undefined>
  /** `before`: the record, where it was judged before the transaction. */
  begin(tx: RecordTransaction, before?: Row): Promise<void>
  locked(tx: RecordTransaction, before: Row, values: DraftValues): Promise<void>
  acting(tx: RecordTransaction, before: Row): Promise<void>
  mayRemove(before: Row): Promise<void>
  created(tx: RecordTransaction, row: Row, values: DraftValues): Promise<void>
  removed(tx: RecordTransaction, before: Row): Promise<void>
}

/** `before`: the record as it is locked. */
export type GivePrepared = (tx: RecordTransaction, before?: Row) => RecordTransaction
export const givesNothing: GivePrepared = (tx) => tx

const nothing = async () => undefined
const without: RequestStageRunner = {
  isCostly: () => false,
  check: nothing,
  prepares: false,
  prepare: async () => givesNothing,
  prove: nothing,
  work: nothing,
  begin: nothing,
  locked: nothing,
  acting: nothing,
  mayRemove: nothing,
  created: nothing,
  removed: nothing,
}

function proofIn(operation: Operation): unknown {
  if (operation.kind === 'delete') return operation.proof
  return 'body' in operation ? operation.body.proof : undefined
}

/** The facts of the request that write steps receive. */
export function requestedWriteOf(
  { address, userAgent, languages, isDryRun = false }: Engine,
  { operation, principal }: Permitted,
): RequestedWrite {
  const { kind, resource } = operation
  return {
    resource,
    kind,
    caller: principal,
    address,
    userAgent,
    languages,
    isDryRun,
    proof: proofIn(operation),
    notes: new Map(),
  }
}

/** Of a part of a transaction, the hook runs before that begins. */
function preparing(
  { preparations }: Engine,
  { prepare: [prepare] }: WriteStages,
  requested: RequestedWrite,
): RequestStageRunner['prepare'] {
  return async (values, before) => {
    if (!prepare) return givesNothing
    const { resource, kind } = requested
    const make = () => prepare({ ...requested, values, before })
    const value = preparations ? preparations.take(`${kind} ${resource.name}`, make) : await make()
    return (tx, row) => tx.withPrepared({ resource, before: row, value })
  }
}

function stepsOf(engine: Engine, stages: WriteStages, requested: RequestedWrite): RequestStageRunner {
  return {
    isCostly: (values) => stages.isCostly.some((isCostly) => isCostly({ ...requested, values })),
    async check(values, before) {
      for (const check of stages.check) await check({ ...requested, values, before })
    },
    prepares: stages.prepare.length > 0,
    prepare: preparing(engine, stages, requested),
    async prove(before, values) {
      for (const prove of stages.prove) await prove({ ...requested, values, before })
    },
    async work(working) {
      let revealed: Revealed | undefined
      for (const work of stages.work) {
        const own = await work({ ...requested, ...working })
        if (own) revealed = { ...revealed, ...own }
      }
      return revealed
    },
    async begin(tx, before) {
      for (const begin of stages.begin) await begin(tx, { ...requested, before })
    },
    async locked(tx, before, values) {
      const sent: StageInputWithRow = { ...requested, values, before }
      for (const locked of stages.locked) await locked(tx, sent)
    },
    async acting(tx, before) {
      for (const acting of stages.acting) await acting(tx, { ...requested, values: {}, before })
    },
    async mayRemove(before) {
      for (const mayRemove of stages.mayRemove) await mayRemove({ ...requested, values: {}, before })
    },
    async created(tx, row, values) {
      for (const created of stages.created) await created(tx, { ...requested, values, row })
    },
    async removed(tx, before) {
      for (const removed of stages.removed) await removed(tx, { ...requested, values: {}, before })
    },
  }
}

export function makeRequestStageRunner(engine: Engine, permitted: Permitted): RequestStageRunner {
  const stages = engine.stagesOf(permitted.operation.resource)
  return stages.isAsked ? stepsOf(engine, stages, requestedWriteOf(engine, permitted)) : without
}
