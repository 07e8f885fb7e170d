/**
 * Finds mistakes in `match` of references: both records must have each field, and its values must
 * be comparable.
 */
import type { DeclaredResource } from '../define.ts'
import type { Field } from '../fields/field.ts'
import { findMeant } from '../words/nearest.ts'
import { type DeclarationCheck, fieldOf } from './declaration-check.ts'

/** Why the field of one of the two records can be no part of a match; undefined when it can. */
function unfitField(declared: DeclaredResource, name: string): string | undefined {
  const field = fieldOf(declared, name)
  const of = `of "${declared.name}"`
  if (!field) return `no field "${name}" in "${declared.name}"${findMeant(name, Object.keys(declared.fields))}`
  if (field.virtual) return `"${name}" ${of} is not stored`
  if (field.type.referredBy) return `"${name}" ${of} is its id, which no other record has`
  if (field.type.secret !== undefined) return `"${name}" ${of} is a secret`
  return field.type.item ? `"${name}" ${of} is a list` : undefined
}

/** Why values of the two fields are never the same; undefined when they can be. */
function unlikeFields(own: Field, other: Field, name: string): string | undefined {
  const [here, there] = [own.reference?.resource, other.reference?.resource]
  if (here !== there) {
    const say = (resource: string | undefined) => (resource === undefined ? 'to no resource' : `to "${resource}"`)
    return `"${name}" refers ${say(here)} here, and ${say(there)} there`
  }
  if (here !== undefined || own.type.name === other.type.name) return undefined
  return `"${name}" is ${own.type.name}() here, and ${other.type.name}() there`
}

/** Why callers would learn by the match what they may not read; undefined where they may. */
function toldField({ hidden, read }: Field, { name: of }: DeclaredResource, name: string): string | undefined {
  if (!hidden && !read) return undefined
  return `"${name}" of "${of}" is read by ${hidden ? 'no caller' : 'some callers only'}, and a match would tell its value to others`
}

function matchMistake(name: string, declared: DeclaredResource, target: DeclaredResource): string | undefined {
  const unfit = unfitField(declared, name) ?? unfitField(target, name)
  if (unfit) return unfit
  const other = fieldOf(target, name) as Field
  return unlikeFields(fieldOf(declared, name) as Field, other, name) ?? toldField(other, target, name)
}

export function checkMatches({ declared, byName, report }: DeclarationCheck): void {
  for (const [at, { reference, virtual }] of Object.entries(declared.fields)) {
    const { match = [], resource = '' } = reference ?? {}
    if (match.length === 0) continue
    const say = (problem: string) => report(`field "${at}"`, `match: ${problem}`)
    const target = byName.get(resource)
    if (virtual) say('means nothing for a field that is not stored')
    else if (match.includes(at)) say(`"${at}" is the reference itself`)
    // A target that does not exist is reported with the reference.
    else if (target)
      for (const name of match) {
        const problem = matchMistake(name, declared, target)
        if (problem) say(problem)
      }
  }
}
