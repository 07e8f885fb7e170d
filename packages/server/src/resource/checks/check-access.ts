/** Finds mistakes in rules, actions and the entries of GraphQL. */

import { accessWords, hasRule, operationsIn, writtenRules } from '../access/change-rule.ts'
import type { GraphqlField } from '../access/graphql-fields.ts'
import type { DeclaredResource } from '../define.ts'
import type { Field } from '../fields/field.ts'
import { valueMistake } from '../fields/field-facts.ts'
import { scansOf } from '../fields/files/file-scan.ts'
import { trashOperations } from '../made/declared-trash.ts'
import { engineOperations, factsOf } from '../operation-kind.ts'
import type { ChildDeclaration } from '../relations/child-declaration.ts'
import { checkRule } from '../rule.ts'
import { findUsers } from '../rules/roles.ts'
import { pluralOf } from '../words/names.ts'
import { findMeant, nearest } from '../words/nearest.ts'
import { defaultMistake } from './check-fields.ts'
import {
  type DeclarationCheck,
  fieldNameMistake,
  fieldOf,
  movesOf,
  nameMistake,
  noField,
  notListed,
} from './declaration-check.ts'

function actionsOf({ declared }: DeclarationCheck): Set<string> {
  return new Set([...Object.keys(declared.actions ?? {}), ...movesOf(declared)])
}

/** A rule under `forbid` that no operation could ever ask. */
function checkForbidden({ declared, report }: DeclarationCheck, known: readonly string[]): void {
  const { forbid } = declared.access
  if (forbid === undefined) return
  const names = Object.keys(forbid)
  if (names.length === 0) report('access.forbid', 'forbids nothing: leave it out, or name an operation')
  const operations = [...operationsIn(declared.access)]
  const hasWord = (name: string) => operations.some((one) => factsOf(one).reads === (name === 'read'))
  for (const name of names) {
    const isWord = accessWords.some((word) => word === name)
    // A name that is no operation is reported with its rule.
    if (isWord ? hasWord(name) : operations.includes(name) || !known.includes(name)) continue
    const near = nearest(name, operations)
    const meant = near === undefined ? '' : `; did you mean "${near}"?`
    const there = operations.length === 0 ? 'none have a rule' : `there are rules for ${operations.join(', ')}`
    report(`access.forbid.${name}`, `no operation that it forbids has a rule under access${meant}; ${there}`)
  }
}

export function checkAccess(context: DeclarationCheck): void {
  const { declared, byName, report } = context
  const actions = actionsOf(context)
  const known = [...engineOperations, ...(declared.trash ? trashOperations : []), ...actions]
  const words: readonly string[] = [...known, ...accessWords]
  for (const { operation, place, rule, isAfter } of writtenRules(declared.access)) {
    const at = `access.${place}`
    if (!words.includes(operation))
      report(at, `no such operation${findMeant(operation, words)}; there are ${words.join(', ')}`)
    checkRule(rule, { ...context, about: 'record', hasPrevious: isAfter, report: (problem) => report(at, problem) })
  }
  checkForbidden(context, known)
  const { explainAccess } = declared
  if (explainAccess)
    checkRule(explainAccess, { ...context, about: 'caller', report: (problem) => report('explainAccess', problem) })
  const operations = operationsIn(declared.access)
  for (const name of actions) {
    if (hasRule(declared.access, name)) continue
    const near = nearest(
      name,
      [...operations].filter((one) => !known.includes(one)),
    )
    report(`actions.${name}`, `has no rule under access${near === undefined ? '' : `; did you mean it by "${near}"?`}`)
  }
  const below = [...byName.values()].flatMap((other) =>
    Object.values(other.children ?? {}).filter((child) => child.resource === declared.name),
  )
  if (!declared.path && below.length === 0 && operations.size > 0) {
    report('path', 'is missing, and no other resource has this one as a child: its operations cannot be reached')
  }
  const problem = operations.has('create') && parentMistake(declared, below)
  if (problem) report('access.create', problem)
}

/**
 * Why no caller can create a record whose reference is set by the parent in the path: no such path
 * exists.
 */
function parentMistake(
  { name, plural, fields }: DeclaredResource,
  below: readonly ChildDeclaration[],
): string | undefined {
  const by = Object.keys(fields).find((one) => fields[one]?.setBy === 'parent')
  if (by === undefined) return undefined
  const offers = ({ single, operations }: ChildDeclaration) => single || !operations || operations.includes('create')
  if (below.some((child) => child.by === by && offers(child))) return undefined
  const parent = fields[by]?.reference?.resource
  const entry = `{ ${plural ?? pluralOf(name)}: { resource: '${name}', by: '${by}' } }`
  return `"${by}" is set by the record above in the path, and there is no such path: "${parent}" needs children: ${entry}`
}

export function checkActions(context: DeclarationCheck): void {
  const { declared, byName, report } = context
  for (const [name, { returns, input }] of Object.entries(declared.actions ?? {})) {
    const at = `actions.${name}`
    const unfit = nameMistake(name)
    if (unfit) report(at, unfit)
    if (returns !== undefined && !byName.has(returns))
      report(at, `returns "${returns}", which does not exist${findMeant(returns, byName.keys())}`)
    for (const [part, field] of Object.entries(input ?? {})) {
      const problem = fieldNameMistake(part) ?? inputMistake(field, context)
      if (problem) report(`${at}.input.${part}`, problem)
    }
  }
}

function inputMistake(field: Field, { byName }: DeclarationCheck): string | undefined {
  if (field.virtual || field.setBy || field.type.referredBy || field.type.secret === 'kept')
    return 'is a field that no caller sends'
  const { reference } = field
  if (reference?.match.length) return 'match: an action has no record of its own that could share a field'
  if (reference && !byName.has(reference.resource)) return `refers to ${notListed(byName, reference.resource)}`
  if (scansOf({ fields: { field } }).length > 0) return 'scan: the field of the record that takes the file scans it'
  return field.type.limitsMistake?.(field.limits) ?? defaultMistake(field, byName)
}

type GraphqlSide = 'query' | 'mutation'

/** Why a field of GraphQL cannot be this operation; undefined when it can. */
function sideMistake(side: GraphqlSide, operation: string, operations: ReadonlySet<string>): string | undefined {
  const { reads, on } = factsOf(operation)
  if (!operations.has(operation)) return `no operation "${operation}"${findMeant(operation, operations)}`
  if (on === 'whole') return `"${operation}" has no field in GraphQL`
  if (reads === (side === 'query')) return undefined
  return `"${operation}" is no ${side}; it belongs under ${reads ? 'query' : 'mutation'}`
}

export function checkGraphql(context: DeclarationCheck): void {
  const { declared, report } = context
  const operations = new Set([...operationsIn(declared.access), ...Object.keys(declared.actions ?? {})])
  for (const side of ['query', 'mutation'] as const) {
    for (const [name, written] of Object.entries(declared.graphql?.[side] ?? {})) {
      const at = `graphql.${side}.${name}`
      const entry: GraphqlField = typeof written === 'string' ? { operation: written } : written
      if (!/^[A-Za-z]\w*$/.test(name)) report(at, 'a name is letters, digits and _')
      const problem = sideMistake(side, entry.operation, operations)
      if (problem) report(at, problem)
      if (entry.nonNull && (side === 'query' || (entry.returns ?? 'self') !== 'self'))
        report(at, 'nonNull is for a mutation that answers with a record')
      checkEntry(context, at, entry)
    }
  }
}

function checkEntry(context: DeclarationCheck, at: string, { access, where, returns }: GraphqlField): void {
  const { declared } = context
  const report = (problem: string) => context.report(at, problem)
  if (access) checkRule(access, { ...context, about: 'record', report })
  for (const [name, value] of Object.entries(where ?? {})) {
    const field = fieldOf(declared, name)
    const problem = field ? valueMistake(field, value, name) : noField(declared, name)
    if (problem) report(`where: ${problem}`)
  }
  const users = findUsers(context.byName.values())
  if (returns === 'self' && users && users.name !== declared.name)
    report("returns: 'self' is the record of the user, which only the resource of the log-in has")
}
