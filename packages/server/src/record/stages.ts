/**
 * Write steps: what features and declarations add to the writes of a resource, in a fixed order and
 * at named stages. `record/` and `perform/` run the steps on every path and know none by name. A
 * resource without steps has empty lists, which cost nothing.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Condition } from '../resource/condition.ts'
import type { Principal } from '../resource/principal.ts'
import type { Row, Values } from '../storage/storage.ts'
import type { RequestStages } from './requested-write.ts'
import type { RecordsBeingRemoved, RecordTransaction } from './write-context.ts'

/** Every stage is given this. */
export type WriteEvent = { readonly tx: RecordTransaction; readonly resource: Resource }

/** A new record: the values that were given (`sent`), and these with ids, times and defaults. */
export type CreatingEvent = WriteEvent & { readonly sent: Values; readonly values: Values }
/** `reason`: the word that the writer gave with the write. */
export type CreatedEvent = WriteEvent & { readonly rows: readonly Values[]; readonly reason?: string | undefined }
export type UpdatingEvent = WriteEvent & { readonly before: Row; readonly changes: Values }
/** All values as they will be stored; `before` is undefined for a new record. */
export type SettlingEvent = WriteEvent & { readonly before: Row | undefined; readonly row: Values }
/** `linksBefore`: the former links of the fields whose links differ now, in rows of their table. */
export type UpdatedEvent = WriteEvent & {
  readonly before: Row
  readonly row: Values
  readonly linksBefore: Readonly<Record<string, readonly Row[]>>
}
/**
 * `going`: the records that this removal has begun to remove above these. `toTrash`: they go to the
 * trash, from which they can come back.
 */
export type DeletingEvent = WriteEvent & {
  readonly rows: readonly Row[]
  readonly going: RecordsBeingRemoved
  readonly toTrash: boolean
}

/** A stage that may change what is written: it returns the values that differ, if any. */
type Before<W> = (write: W) => Values | undefined | Promise<Values | undefined>
type Stage<W> = (write: W) => void | Promise<void>

/**
 * One thing that a write does. Its stages here run in the transaction of every write, whichever way
 * it comes; those of `RequestStages` where a caller asks. Each may throw, which undoes the write.
 */
export type WriteStep = RequestStages & {
  /** For those who read lists of steps. */
  readonly name: string
  readonly resources: readonly Resource[]
  /**
   * The records on which its stages let the caller do this, whatever is sent. `expand=can` tells
   * it before a request is made.
   */
  readonly allows?: (asked: { readonly caller: Principal; readonly operation: string }) => Condition
  /**
   * Before anything is looked at: throws where the author may not change or remove such records at
   * all.
   */
  readonly mayWrite?: (write: WriteEvent & { readonly verb: 'update' | 'delete' }) => void
  /** Before `onWrite`, the rule for the result and the checks of fields. */
  readonly beforeCreate?: Before<CreatingEvent>
  readonly beforeUpdate?: Before<UpdatingEvent>
  /**
   * Before the rows of one batch go, and before what refers to them. A removal that is only counted
   * (`author.dry`) runs it too.
   */
  readonly beforeDelete?: Stage<DeletingEvent>
  /**
   * The values are final, and fields and references have passed their checks. A step may refuse;
   * then they are stored.
   */
  readonly settled?: Stage<SettlingEvent>
  readonly afterCreate?: Stage<CreatedEvent>
  readonly afterUpdate?: Stage<UpdatedEvent>
  /** The fields whose changes the stages of an update are about; all of them where it is absent. */
  readonly fields?: readonly string[]
}

const ofCallers = [
  'isCostly',
  'check',
  'prepare',
  'prove',
  'work',
  'begin',
  'locked',
  'acting',
  'mayRemove',
  'created',
  'removed',
  'limit',
  'allows',
] as const
const ofWrites = [
  'mayWrite',
  'beforeCreate',
  'beforeUpdate',
  'beforeDelete',
  'settled',
  'afterCreate',
  'afterUpdate',
] as const
type StageName = (typeof ofCallers)[number] | (typeof ofWrites)[number]

/** The steps of one resource by stage, in their order. */
export type WriteStages = { readonly [S in StageName]: readonly NonNullable<WriteStep[S]>[] } & {
  /**
   * The fields whose changes need the stages of an update, so that a row has to be read; undefined
   * for all.
   */
  readonly fields: ReadonlySet<string> | undefined
  /** Whether any step looks at who asks, and at what was sent. */
  readonly isAsked: boolean
}
export type StagesOf = (resource: Resource) => WriteStages

function stagesOf(steps: readonly WriteStep[]): WriteStages {
  const listOf = (name: StageName) => [name, steps.map((step) => step[name]).filter((one) => one !== undefined)]
  const lists = Object.fromEntries([...ofCallers, ...ofWrites].map(listOf)) as Pick<WriteStages, StageName>
  const updating = steps.filter((step) => step.beforeUpdate ?? step.settled ?? step.afterUpdate)
  const isAboutAll = updating.some(({ fields }) => fields === undefined)
  return {
    ...lists,
    fields: isAboutAll ? undefined : new Set(updating.flatMap(({ fields = [] }) => fields)),
    isAsked: ofCallers.some((name) => lists[name].length > 0),
  }
}

/** The steps of each resource, found once when the engine is made. */
export function resolveStages(steps: readonly WriteStep[]): StagesOf {
  const none = stagesOf([])
  const resources = new Set(steps.flatMap((step) => step.resources))
  const found = new Map(
    [...resources].map((one) => [one, stagesOf(steps.filter((step) => step.resources.includes(one)))]),
  )
  return (resource) => found.get(resource) ?? none
}

/** Whether a change of these values must read its row first: a step looks at it. */
export function mustRead({ fields }: WriteStages, changes: Values): boolean {
  return fields === undefined || Object.keys(changes).some((name) => fields.has(name))
}
