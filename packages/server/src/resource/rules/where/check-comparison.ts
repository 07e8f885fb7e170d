/** Finds the mistakes in a comparison of a `where` that the compiler does not see. */

import type { Field, Operator } from '../../fields/field.ts'
import { areComparable, valueMistake } from '../../fields/field-facts.ts'
import { itemFrom } from '../../fields/list.ts'
import { printValue } from '../../members.ts'
import type { RuleCheck } from '../../rule.ts'
import { findMeant } from '../../words/nearest.ts'
import { findUsers } from '../roles.ts'
import type { FieldComparison } from './field-comparison.ts'
import { claimPrefix, isRuleValue, type RuleValue } from './rule-values.ts'

type ComparedField = { readonly name: string; readonly field: Field; readonly check: RuleCheck }

function storedFieldNames({ declared }: RuleCheck): string[] {
  return Object.entries(declared.fields).flatMap(([name, { virtual }]) => (virtual ? [] : [name]))
}

/** A field of a record that a value names, of a kind that can be compared with the first one. */
function fieldMistake({ name, field, check }: ComparedField, word: 'field' | 'previous', other: string) {
  const own = Object.hasOwn(check.declared.fields, other) ? check.declared.fields[other] : undefined
  const mention = `${word}(${printValue(other)})`
  if (!own) return `${mention}: no such field${findMeant(String(other), storedFieldNames(check))}`
  if (own.virtual) return `${mention}: the field is not stored`
  if (!areComparable(own, field)) return `${mention} cannot be compared with "${name}": they are of two types`
  return undefined
}

/** A list has its items as responses show them. */
function areAlike(item: Field, field: Field): boolean {
  return areComparable(item, field) && !item.type.represent
}

function callerMistake({ name, field, check }: ComparedField, value: string): string | undefined {
  if (value.startsWith(claimPrefix)) return undefined
  const people = findUsers(check.byName.values())
  if (value === 'id' && !people) return undefined
  const mention = `caller(${printValue(value)})`
  if (!people) return `${mention}: there are no users: list ...accounts({ roles, users })`
  const named = Object.hasOwn(people.fields, value) ? people.fields[value] : undefined
  const own = value === 'id' ? Object.values(people.fields).find(({ type }) => type.referredBy) : named
  if (!own)
    return `${mention}: no such field in "${people.name}"${findMeant(value, ['id', ...Object.keys(people.fields)])}`
  if (own.virtual || own.type.secret !== undefined) return `${mention}: the field has no value that rules may see`
  // The id of a caller is a text, and a list has it as an item.
  const isAmongTexts = value === 'id' && field.type.item?.type.column === 'text'
  const isAmong = own.type.item ? !field.type.item && areAlike(own.type.item, field) : isAmongTexts
  if (!isAmong && !areComparable(own, field))
    return `${mention} cannot be compared with "${name}": they are of two types`
  return undefined
}

function valueOfRequestMistake(compared: ComparedField, value: RuleValue): string | undefined {
  const { name, field, check } = compared
  switch (value.source) {
    case 'caller':
      return callerMistake(compared, value.name)
    case 'field':
      return fieldMistake(compared, 'field', value.name)
    case 'previous':
      if (check.hasPrevious !== true) return 'previous() is for the rule `after` of an update or replace'
      return fieldMistake(compared, 'previous', value.name)
    case 'now':
      return field.type.inTime?.at
        ? undefined
        : `now() is compared with a timestamp or a date, and "${name}" is neither`
  }
}

function itemMistake(item: Field, operand: unknown, name: string): string | undefined {
  if (item.type.isProse) return typeof operand === 'string' ? undefined : `${name} must be a text`
  try {
    itemFrom(item, operand, name)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const ordering: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte']

function operandMistake(compared: ComparedField, operator: Operator, operand: unknown): string | undefined {
  const { name, field } = compared
  if (isRuleValue(operand)) {
    const isKept = operand.source === 'field' || operand.source === 'previous'
    if (isKept && (!ordering.includes(operator) || field.type.item))
      return `${operand.source}() is for ${ordering.join(', ')}`
    return valueOfRequestMistake(compared, operand)
  }
  if (operator === 'null' || operator === 'empty')
    return typeof operand === 'boolean' ? undefined : `${name}: ${operator} must be true or false`
  if (field.type.item) return itemMistake(field.type.item, operand, name)
  if (operator === 'contains' || operator === 'startsWith')
    return typeof operand === 'string' && operand !== '' ? undefined : `${name}: ${operator} must be a text`
  return valueMistake(field, operand, name)
}

/** A sentence that begins with the name or the value; undefined where the comparison is right. */
export function comparisonMistake(comparison: FieldComparison, check: RuleCheck): string | undefined {
  const { field: name, operator, operand } = comparison
  const { fields } = check.declared
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (!field) return `no field "${name}"${findMeant(name, Object.keys(fields))}`
  if (field.virtual) return `"${name}" is not stored`
  const known = field.type.operators
  if (field.type.holdsFiles && operator !== 'null' && (operator !== 'eq' || operand !== null))
    return `"${name}" is a file: a rule can only ask whether there is one`
  if (field.type.hasMembers && operator !== 'null' && (operator !== 'eq' || operand !== null))
    return `"${name}" is JSON, which a rule does not look into: keep the value that decides in a field of its own`
  if (!known.includes(operator) && (operator !== 'eq' || field.type.secret !== undefined))
    return `"${name}" has no operator "${operator}"${findMeant(operator, known)}; there are ${known.join(', ')}`
  const compared = { name, field, check }
  const isMany = operator === 'in' || operator === 'overlaps'
  if (!isMany || isRuleValue(operand)) return operandMistake(compared, operator, operand)
  if (!Array.isArray(operand) || operand.length === 0) return `${name}: ${operator} must be a list of values`
  return operand.map((one) => operandMistake(compared, operator, one)).find((mistake) => mistake !== undefined)
}
