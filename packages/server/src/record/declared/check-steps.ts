/**
 * Runs the checks of declarations as steps of the writes of their resources. They see the final
 * values, after the rule for the result, references and fields. So a caller who may not write the
 * record learns nothing from them.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../errors.ts'
import { collectProblems } from '../../operation/problem-collector.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { DeclaredCheck } from '../../resource/code/record-check.ts'
import { printValue } from '../../resource/members.ts'
import type { Values } from '../../storage/storage.ts'
import type { SettlingEvent, WriteStep } from '../stages.ts'
import { shown } from './shown-values.ts'

type NamedCheck = { readonly resource: Resource; readonly name: string; readonly check: DeclaredCheck }

/** Throws an `Error` that names the check where it gives no verdict. */
function verdictOf({ resource, name, check }: NamedCheck, { tx }: SettlingEvent, record: Values): boolean {
  const at = `${resource.writtenIn}: ${resource.name}: checks.${name}: require must return true or false`
  const { settings, now } = tx.defaults
  let verdict: unknown
  try {
    verdict = check.require(
      record,
      check.clock ? { ...settings, now } : (settings as typeof settings & { now: string }),
    )
  } catch (cause) {
    throw new Error(`${at} for every record, and threw ${cause}`, { cause })
  }
  if (typeof verdict !== 'boolean') throw new Error(`${at}, and returned ${printValue(verdict)}`)
  return verdict
}

/** The record, which notes the fields that are read of it. */
function noting(record: Values, read: Set<string>): Values {
  const note = (name: string | symbol) => void (typeof name === 'string' && read.add(name))
  return new Proxy(record, {
    get(target, name) {
      note(name)
      return Reflect.get(target, name)
    },
    has(target, name) {
      note(name)
      return Reflect.has(target, name)
    },
    ownKeys(target) {
      Object.keys(target).forEach(note)
      return Reflect.ownKeys(target)
    },
  })
}

/**
 * Whether the check refuses the write. It refuses a change only where a field that it reads
 * differs. From the same values a pure function has given the same verdict before.
 */
function refuses(asking: NamedCheck, event: SettlingEvent): boolean {
  const { before, row } = event
  const record = shown(row)
  if (verdictOf(asking, event, record)) return false
  if (before === undefined) return true
  const read = new Set<string>()
  verdictOf(asking, event, noting(record, read))
  return [...read].some((name) => !isDeepStrictEqual(before[name], row[name]))
}

function refusalOf({ check: { message, at } }: NamedCheck): ApiError {
  return new ApiError('bad-request', message, { mistakes: at === undefined ? [] : [{ field: at, detail: message }] })
}

function stepOf(resource: Resource): WriteStep {
  const checks = Object.entries(resource.checks).map(([name, check]): NamedCheck => ({ resource, name, check }))
  return {
    name: `checks of ${resource.name}`,
    resources: [resource],
    settled(event) {
      const mistakes = collectProblems()
      for (const one of checks) if (refuses(one, event)) mistakes.add(refusalOf(one))
      mistakes.end()
    },
  }
}

export function checkSteps({ resources }: Catalog): WriteStep[] {
  return [...resources.values()].filter(({ checks }) => Object.keys(checks).length > 0).map(stepOf)
}
