/**
 * Runs the steps of a write that a caller asks for. Every path of `perform/` makes one of these and
 * calls its stages, so that none can leave out a step, and a resource without steps has the one
 * that does nothing.
 */
import type { Operation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Asked, Draft, Revealed, SentTo } from '../record/asked.ts'
import type { Writing } from '../record/records.ts'
import type { Stages } from '../record/stages.ts'
import type { Row } from '../storage/storage.ts'
import type { Engine } from './engine.ts'

type Working = { readonly values: Draft; readonly before?: Row | undefined; readonly first?: () => Promise<void> }

export type AskedWrite = {
  isCostly(values: Draft): boolean
  check(values: Draft, before?: Row): Promise<void>
  prove(before: Row, values: Draft): Promise<void>
  work(working: Working): Promise<Revealed | undefined>
  /** `before`: the record, where it was judged before the transaction. */
  begin(writing: Writing, before?: Row): Promise<void>
  locked(writing: Writing, before: Row, values: Draft): Promise<void>
  mayRemove(before: Row): Promise<void>
  created(writing: Writing, row: Row, values: Draft): Promise<void>
  removed(writing: Writing, before: Row): Promise<void>
}

const nothing = async () => undefined
const without: AskedWrite = {
  isCostly: () => false,
  check: nothing,
  prove: nothing,
  work: nothing,
  begin: nothing,
  locked: nothing,
  mayRemove: nothing,
  created: nothing,
  removed: nothing,
}

function proofIn(operation: Operation): unknown {
  if (operation.kind === 'delete') return operation.proof
  return 'body' in operation ? operation.body.proof : undefined
}

/** The steps are told this of the request. */
export function askedOf({ address, userAgent, languages }: Engine, { operation, principal }: Permitted): Asked {
  const { kind, resource } = operation
  return {
    resource,
    kind,
    caller: principal,
    address,
    userAgent,
    languages,
    proof: proofIn(operation),
    notes: new Map(),
  }
}

function stepsOf(stages: Stages, asked: Asked): AskedWrite {
  return {
    isCostly: (values) => stages.isCostly.some((isCostly) => isCostly({ ...asked, values })),
    async check(values, before) {
      for (const check of stages.check) await check({ ...asked, values, before })
    },
    async prove(before, values) {
      for (const prove of stages.prove) await prove({ ...asked, values, before })
    },
    async work(working) {
      let revealed: Revealed | undefined
      for (const work of stages.work) {
        const own = await work({ ...asked, ...working })
        if (own) revealed = { ...revealed, ...own }
      }
      return revealed
    },
    async begin(writing, before) {
      for (const begin of stages.begin) await begin(writing, { ...asked, before })
    },
    async locked(writing, before, values) {
      const sent: SentTo = { ...asked, values, before }
      for (const locked of stages.locked) await locked(writing, sent)
    },
    async mayRemove(before) {
      for (const mayRemove of stages.mayRemove) await mayRemove({ ...asked, values: {}, before })
    },
    async created(writing, row, values) {
      for (const created of stages.created) await created(writing, { ...asked, values, row })
    },
    async removed(writing, before) {
      for (const removed of stages.removed) await removed(writing, { ...asked, values: {}, before })
    },
  }
}

export function askedWrite(engine: Engine, permitted: Permitted): AskedWrite {
  const stages = engine.stagesOf(permitted.operation.resource)
  return stages.isAsked ? stepsOf(stages, askedOf(engine, permitted)) : without
}
