/** The hooks of declarations, as steps of the writes of their resources. They run first, so that every other step sees what they left. */
import { ApiError } from '../errors.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Hooks } from '../resource/code/hooks.ts'
import type { Row, Values } from '../storage/storage.ts'
import { boundRecords } from './bound-records.ts'
import type { Writing } from './records.ts'
import type { Creating, Deleting, Step, Updating } from './stages.ts'

/** Hooks whose writes run hooks in turn, one inside the other. */
const depthMax = 8
const depth = Symbol('depth of hooks')

type HookName = keyof Hooks
/** The fields of a resource are not known to the compiler here. */
type AnyHook = (context: object) => unknown

function refuse(sentence: string, field?: string): never {
  if (field === undefined) throw new ApiError('conflict', sentence)
  throw new ApiError('bad-request', sentence, { mistakes: [{ field, detail: sentence }] })
}

function contextOf(writing: Writing) {
  const { author, defaults } = writing
  return {
    caller: { userId: author.userId, role: author.role },
    records: boundRecords(writing),
    now: defaults.now,
    settings: defaults.settings,
    refuse,
  }
}

/** Throws an `Error` for what no hook may set. */
function checkChanges({ name: owner, fields, idField, writtenIn }: Resource, hook: HookName, changes: Values): void {
  const wrong = Object.keys(changes).find((name) => name === idField || fields[name]?.type.secret !== undefined)
  if (wrong !== undefined) throw new Error(`${writtenIn}: ${owner}: hooks.${hook}: sets "${wrong}", an id or a secret`)
}

type Call = { readonly writing: Writing; readonly resource: Resource; readonly hook: HookName; readonly given: object }

async function run({ writing, resource, hook, given }: Call): Promise<Values | undefined> {
  const at = writing.remembered(depth, () => ({ now: 0 }))
  if (at.now === depthMax)
    throw new Error(`${resource.writtenIn}: ${resource.name}: hooks.${hook}: hooks lead to hooks, ${depthMax} deep`)
  at.now += 1
  try {
    const left = await (resource.hooks[hook] as AnyHook)({ ...contextOf(writing), ...given })
    if (typeof left !== 'object' || left === null) return undefined
    const changes = Object.fromEntries(Object.entries(left).filter(([, value]) => value !== undefined))
    checkChanges(resource, hook, changes)
    return changes
  } finally {
    at.now -= 1
  }
}

function stepOf(resource: Resource): Step {
  const { hooks } = resource
  return {
    name: `hooks of ${resource.name}`,
    resources: [resource],
    ...(hooks.beforeCreate === undefined
      ? {}
      : {
          beforeCreate: ({ writing, sent, values }: Creating) =>
            run({ writing, resource, hook: 'beforeCreate', given: { sent, record: values, previous: null } }),
        }),
    ...(hooks.beforeUpdate === undefined
      ? {}
      : {
          beforeUpdate: ({ writing, before, changes }: Updating) => {
            const given = { sent: changes, record: { ...before, ...changes }, previous: before }
            return run({ writing, resource, hook: 'beforeUpdate', given })
          },
        }),
    ...(hooks.beforeDelete === undefined
      ? {}
      : {
          async beforeDelete({ writing, rows }: Deleting) {
            for (const previous of rows as readonly Row[])
              await run({ writing, resource, hook: 'beforeDelete', given: { previous } })
          },
        }),
  }
}

export function hookSteps({ resources }: Catalog): Step[] {
  return [...resources.values()].filter(({ hooks }) => Object.keys(hooks).length > 0).map(stepOf)
}
