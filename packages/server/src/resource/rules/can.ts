/** The rule `can`: callers pass who may do an operation with the record that a reference names. */
import { operationsIn } from '../access/change-rule.ts'
import { never } from '../condition.ts'
import { printValue } from '../members.ts'
import { factsOf } from '../operation-kind.ts'
import {
  isAboutRecord,
  type JudgedResource,
  type Rule,
  type RulePartScope,
  type RuleType,
  simpleRule,
} from '../rule.ts'
import { inSentence } from '../words/names.ts'
import { findMeant } from '../words/nearest.ts'

type CanRule = Rule & {
  readonly field: string
  /** By default `get` for an operation that reads, and `update` for one that writes. */
  readonly operation: string | undefined
}

type CanTarget = { readonly target: JudgedResource; readonly rule: Rule | undefined; readonly operation: string }

function targetOf({ field, operation = 'get' }: CanRule, { catalog, resource }: RulePartScope): CanTarget {
  const target = catalog.get(resource.fields[field]?.reference?.resource ?? '')
  return { target, rule: target.access[operation], operation }
}

function related(side: 'where' | 'whereNot'): RuleType<CanRule>['where'] {
  return (own, asked) => {
    const { target, rule } = targetOf(own, asked)
    const where = rule ? rule.type[side](rule, { ...asked, resource: target }) : never
    if (where.kind === 'false') return where
    return { kind: 'related', field: own.field, resource: target.name, where }
  }
}

const canType: RuleType<CanRule> = {
  ...simpleRule,
  where: related('where'),
  whereNot: related('whereNot'),
  judgesBy(own, scope) {
    const { target, rule } = targetOf(own, scope)
    return rule ? rule.type.judgesBy(rule, { ...scope, resource: target }) : []
  },
  inDocument: ({ field, operation = 'get' }) => `callers who may ${operation} the record in \`${field}\``,
  inTable(own, scope) {
    const { target, operation } = targetOf(own, scope)
    return `may ${operation} its ${inSentence(target.label)}`
  },
  check({ field, operation }, check) {
    const { declared, byName, report } = check
    const at = operation === undefined ? `can(${printValue(field)})` : `can('${operation}', ${printValue(field)})`
    if (!isAboutRecord(at, check)) return
    const references = Object.entries(declared.fields).filter(([, one]) => one.reference && !one.virtual)
    const names = references.map(([name]) => name)
    if (!names.includes(field)) return report(`${at}: no reference of that name${findMeant(String(field), names)}`)
    const target = byName.get(declared.fields[field]?.reference?.resource ?? '')
    if (!target || operation === undefined) return
    const known = [...operationsIn(target.access ?? {})]
    if (!known.includes(operation))
      report(`${at}: "${target.name}" has no rule for "${operation}"${findMeant(operation, known)}`)
  },
  parts(own, scope) {
    const { target, rule, operation } = targetOf(own, scope)
    const { field } = own
    return rule ? [{ rule, resource: target, at: `can(${operation} ${field})`, link: { field } }] : []
  },
  forOperation(own, operation) {
    const settled: CanRule = { ...own, operation: own.operation ?? (factsOf(operation).reads ? 'get' : 'update') }
    return settled
  },
}

/**
 * Callers who may do an operation with the record that this reference names: `can('update',
 * 'teamId')`. Without an operation it is `get` for a rule of an operation that reads, and `update`
 * for one that writes: `can('teamId')`.
 */
export function can<const K extends string>(reference: K): Rule<K, never, never>
export function can<const K extends string>(operation: string, reference: K): Rule<K, never, never>
export function can(first: string, second?: string): Rule<never, never, never> {
  const rule: CanRule = { type: canType, field: second ?? first, operation: second === undefined ? undefined : first }
  return rule as Rule as Rule<never, never, never>
}
