/** Finds mistakes in the keys of upserts: keys that are not unique, values that no caller sends. */
import { operationsIn } from '../access/change-rule.ts'
import { type DeclarationCheck, fieldOf, noField } from '../checks/declaration-check.ts'
import type { DeclaredResource } from '../define.ts'
import { upsertKeys } from './upsert-keys.ts'

function isUnique({ fields, unique = [] }: DeclaredResource, key: readonly string[]): boolean {
  if (key.length === 1 && fields[key[0] ?? '']?.unique) return true
  return unique.some((one) => one.length === key.length && one.every((name) => key.includes(name)))
}

/** Why no request could name a record by this field; undefined where one can. */
function valueMistake({ fields }: DeclaredResource, name: string): string | undefined {
  const { hidden, setBy, computed, counted, type } = fields[name] ?? {}
  if (hidden) return `"${name}" is never shown, so no caller sends it`
  // The checks of numbers and of computed fields say more about theirs.
  if (computed || counted || type?.series || setBy === undefined || setBy === 'principal') return undefined
  return `"${name}" is set by the engine, so no caller sends it`
}

/** Why no request could upsert by the key; undefined where one can. */
function keyMistake(declared: DeclaredResource, key: readonly string[]): string | undefined {
  const unknown = key.find((name) => !fieldOf(declared, name))
  if (unknown !== undefined) return noField(declared, unknown)
  if (!isUnique(declared, key)) return `${key.length === 1 ? `"${key[0]}"` : `[${key.join(', ')}]`} is not unique`
  const wrong = key.map((name) => valueMistake(declared, name)).find((one) => one !== undefined)
  if (wrong) return wrong
  const { access, concurrency, path } = declared
  const operations = operationsIn(access)
  if (!operations.has('create') || !operations.has('replace') || path === undefined)
    return 'needs a path, and rules for create and replace'
  return concurrency && 'and concurrency: "required" exclude each other: who creates has read no version'
}

export function checkUpsert(context: DeclarationCheck): void {
  const said = new Set<string>()
  for (const key of upsertKeys(context.declared)) {
    const text = key.toSorted().join(',')
    const wrong = said.has(text) ? `[${key.join(', ')}] is named twice` : keyMistake(context.declared, key)
    if (wrong) context.report('upsert', wrong)
    said.add(text)
  }
}
