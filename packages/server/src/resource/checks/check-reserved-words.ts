/**
 * Finds names for which the engine has a use that cannot give way, by the list of reserved words
 * and of the engine's paths. Each mistake names the application's file and the engine's use.
 */

import type { DeclaredResource } from '../define.ts'
import type { EngineOperation } from '../operation-kind.ts'
import { kebabOf, pluralOf, typeNameOf } from '../words/names.ts'
import type { NamePosition } from '../words/reserve.ts'
import { findRefused } from '../words/reserved-words.ts'
import { servedPaths } from '../words/served-paths.ts'
import type { DeclarationCheck } from './declaration-check.ts'

type NameAt = readonly [at: NamePosition, word: string, place: string]

function* namesOf(declared: DeclaredResource): Generator<NameAt> {
  const { name, plural, fields, list, children = {}, actions = {} } = declared
  yield ['type', typeNameOf(name), 'name']
  yield ['scope', kebabOf(plural ?? pluralOf(name)), plural === undefined ? 'name' : 'plural']
  for (const [field, { transitions = {} }] of Object.entries(fields)) {
    yield ['field', field, `field "${field}"`]
    for (const move of Object.keys(transitions)) yield ['action', move, `field "${field}": transition "${move}"`]
  }
  for (const filter of Object.keys(list?.filters ?? {})) yield ['filter', filter, `list.filters.${filter}`]
  for (const child of Object.keys(children)) yield ['child', child, `children.${child}`]
  for (const [action, { input = {} }] of Object.entries(actions)) {
    yield ['action', action, `actions.${action}`]
    for (const part of Object.keys(input)) yield ['input', part, `actions.${action}.input.${part}`]
  }
}

export function checkReservedWords(context: DeclarationCheck): void {
  for (const [at, word, place] of namesOf(context.declared)) {
    const row = findRefused(at, word, context)
    if (row) context.report(place, `the engine uses this name for ${row.use}; choose another`)
  }
}

/** `/assets` for `/assets/:file`, which a record of the path would answer. */
const above = (path: string) => path.replace(/\/:\w+$/, '')

export function checkServedPaths({ declared, report }: DeclarationCheck): void {
  const { path, atRoot = false, access } = declared
  const answers = (operations: readonly EngineOperation[]) => operations.some((operation) => access[operation])
  const taken = servedPaths.find(
    (one) => above(one.path) === path && (atRoot || one.mount === 'api') && answers(one.operations),
  )
  if (taken) report('path', `the engine uses "${taken.path}" for ${taken.use}; choose another`)
}
