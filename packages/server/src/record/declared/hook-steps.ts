/**
 * Runs the hooks of declarations as steps of the writes of their resources. They run first, so that
 * every other step sees the values that they return.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { actionHookName } from '../../resource/code/hooks.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { actingAs } from '../author.ts'
import { type Guard, type GuardedCall, limitMsDefault } from '../guard/guarded-code.ts'
import { guardedParts } from '../guard/guarded-parts.ts'
import type { EngineActions } from '../requested-write.ts'
import type { CreatingEvent, DeletingEvent, UpdatingEvent, WriteStep } from '../stages.ts'
import { checkNames, existsKey } from '../stored-values.ts'
import type { CodeSubject, RecordTransaction } from '../write-context.ts'
import { hookPlace, type PrepareDeps, prepareStage, refuseByHook } from './prepare-hooks.ts'
import { shown } from './shown-values.ts'

/** Hooks whose writes run hooks in turn, one inside the other. */
const depthMax = 8
const elsewhere = 'an effect'
const changing = Symbol('records whose hook runs')

/** The fields of a resource are not known to the compiler here. */
type AnyHook = (context: object) => unknown

function contextOf({ tx, resource, about = { row: {} } }: RunningHook, call: GuardedCall) {
  const { author, defaults } = tx
  const tenants = tx.codeTenants({ resource, ...about })
  return {
    caller: actingAs(author),
    ...guardedParts({ tx, records: tx.deeper().codeRecords(tenants), tenants }, call),
    now: defaults.now,
    settings: defaults.settings,
    refuse: refuseByHook,
  }
}

/** The word for a field that no hook sets, since its value would be stored over; or undefined. */
function notForHooks(
  { fields, idField, onWrite, countedNames, computedNames }: Resource,
  name: string,
): string | undefined {
  const { setBy, type } = fields[name] ?? {}
  if (name === idField) return 'an id'
  if (type?.secret !== undefined) return 'a secret'
  if (countedNames.includes(name)) return 'which follows from other records'
  if (type?.series !== undefined) return 'a number that the engine counts'
  if (setBy === 'create' || setBy === 'write') return `a time that the engine sets (setOn: '${setBy}')`
  if (computedNames.includes(name)) return 'which is computed from other fields'
  return onWrite.some(([one]) => one === name) ? 'which onWrite computes' : undefined
}

/** Throws an `Error` for what no hook may set. */
function checkChanges(resource: Resource, place: string, changes: Values): void {
  for (const name of Object.keys(changes)) {
    const why = notForHooks(resource, name)
    if (why) throw new Error(`${place}: sets "${name}", ${why}`)
  }
  checkNames(resource, changes)
}

function isUnchanged(before: Row, changes: Values): boolean {
  return Object.entries(changes).every(([name, value]) => isDeepStrictEqual(value, before[name]))
}

type RunningHook = {
  readonly guard: Guard
  readonly tx: RecordTransaction
  /** Of the record that is written. */
  readonly resource: Resource
  /** The record that it is about; absent where the resource belongs to no tenant. */
  readonly about?: Omit<CodeSubject, 'resource'>
  readonly given: object
}

/** `code`: the function of the application, which is written at `place`. */
export type GuardedHook = RunningHook & {
  readonly place: string
  readonly limitMs: number | undefined
  readonly code: AnyHook
}

/** The values that the hook wants stored; undefined where it returns none. */
export async function runHook(hook: GuardedHook): Promise<Values | undefined> {
  const { guard, tx, resource, place, limitMs = limitMsDefault, code, given } = hook
  if (tx.depth === depthMax) throw new Error(`${place}: hooks lead to hooks, ${depthMax} deep`)
  const left = await guard.run({ place, limitMs, elsewhere }, (call) => code({ ...contextOf(hook, call), ...given }))
  if (typeof left !== 'object' || left === null) return undefined
  const changes = Object.fromEntries(Object.entries(left).filter(([, value]) => value !== undefined))
  checkChanges(resource, place, changes)
  return changes
}

type HookCall = RunningHook & { readonly hook: string }

function run({ hook, ...running }: HookCall): Promise<Values | undefined> {
  const { hooks } = running.resource
  const place = hookPlace(running.resource, hook)
  return runHook({ ...running, place, limitMs: hooks.limitMs, code: hooks[hook] as AnyHook })
}

export type ActionHookCall = Pick<HookCall, 'guard' | 'tx' | 'resource'> & {
  readonly action: string
  /** The record, which is locked. */
  readonly previous: Row
  readonly input: Values
}

/** The changes that the hook of an action or a transition wants; undefined where it has none. */
export function runActionHook({ action, previous, input, ...call }: ActionHookCall): Promise<Values | undefined> {
  const hook = actionHookName(action)
  if (call.resource.hooks[hook] === undefined) return Promise.resolve(undefined)
  const given = { previous: shown(previous), input: shown(input) }
  return run({ ...call, hook, about: { row: previous }, given })
}

/** A change from inside the hook would be of a row that this one is about to store over. */
async function runForChange(
  guard: Guard,
  { tx, resource, before, changes }: UpdatingEvent,
): Promise<Values | undefined> {
  if (isUnchanged(before, changes)) return undefined
  const keys = tx.remembered(changing, () => new Set<string>())
  const key = existsKey(resource, before[resource.idField])
  if (keys.has(key))
    throw new Error(`${hookPlace(resource, 'beforeUpdate')}: its own record changes by what it returns`)
  keys.add(key)
  try {
    const given = {
      sent: shown(changes),
      record: shown({ ...before, ...changes }),
      previous: shown(before),
      prepared: tx.preparedFor({ resource, before }),
    }
    return await run({ guard, tx, resource, hook: 'beforeUpdate', about: { row: before }, given })
  } finally {
    keys.delete(key)
  }
}

function stepOf(resource: Resource, { guard, ...preparing }: HookDeps): WriteStep {
  const { hooks } = resource
  return {
    name: `hooks of ${resource.name}`,
    resources: [resource],
    ...prepareStage(resource, preparing),
    ...(hooks.beforeCreate === undefined
      ? {}
      : {
          beforeCreate: ({ tx, sent, values }: CreatingEvent) =>
            run({
              guard,
              tx,
              resource,
              hook: 'beforeCreate',
              about: { row: values, isNew: true },
              given: {
                sent: shown(sent),
                record: shown(values),
                previous: null,
                prepared: tx.preparedFor({ resource, before: undefined }),
              },
            }),
        }),
    ...(hooks.beforeUpdate === undefined ? {} : { beforeUpdate: (event: UpdatingEvent) => runForChange(guard, event) }),
    ...(hooks.beforeDelete === undefined
      ? {}
      : {
          async beforeDelete({ tx, rows }: DeletingEvent) {
            for (const previous of rows as readonly Row[])
              await run({
                guard,
                tx,
                resource,
                hook: 'beforeDelete',
                about: { row: previous },
                given: { previous: shown(previous), prepared: tx.preparedFor({ resource, before: previous }) },
              })
          },
        }),
  }
}

type HookDeps = PrepareDeps & { readonly guard: Guard }

export function hookSteps({ resources }: Catalog, deps: HookDeps): WriteStep[] {
  return [...resources.values()]
    .filter(({ hooks }) => Object.keys(hooks).length > 0)
    .map((resource) => stepOf(resource, deps))
}

/** Whether a declaration has hooks, or actions that the engine does not do itself. */
export function hasGuardedCode({ resources }: Catalog, own: EngineActions): boolean {
  return [...resources.values()].some(
    ({ hooks, actions }) => Object.keys(hooks).length > 0 || Object.values(actions).some(({ run }) => !own.has(run)),
  )
}
