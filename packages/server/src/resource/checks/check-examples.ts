/** Finds examples that the server would refuse: they would mislead the readers of the documents. */
import type { Fields } from '../fields/field.ts'
import { findMeant } from '../words/nearest.ts'
import { exampleMistake } from './check-fields.ts'
import { type DeclarationCheck, fieldOf, noField } from './declaration-check.ts'

export function checkExamples(context: DeclarationCheck): void {
  const { declared, byName, report } = context
  for (const [name, field] of Object.entries(declared.fields)) {
    if (field.example === undefined) continue
    const problem = exampleMistake(field, field.example, { byName })
    if (problem) report(`field "${name}"`, problem)
  }
  for (const [name, value] of Object.entries(declared.example ?? {})) {
    const field = fieldOf(declared, name)
    const problem = field ? exampleMistake(field, value, { byName, name }) : noField(declared, name)
    if (problem) report('example', problem)
  }
  for (const [name, { input = {}, example = {} }] of Object.entries(declared.actions ?? {}))
    checkInput(`actions.${name}.example`, { input, example, context })
  checkFilterExamples(context)
}

type InputCheck = {
  readonly input: Fields
  readonly example: Readonly<Record<string, unknown>>
  readonly context: DeclarationCheck
}

function checkInput(at: string, { input, example, context: { byName, report } }: InputCheck): void {
  for (const [name, value] of Object.entries(example)) {
    const field = Object.hasOwn(input, name) ? input[name] : undefined
    const problem = field
      ? exampleMistake(field, value, { byName, name })
      : `no field "${name}"${findMeant(name, Object.keys(input))}`
    if (problem) report(at, problem)
  }
}

/** A filter's example is the text of a query parameter. */
function checkFilterExamples({ declared, report }: DeclarationCheck): void {
  for (const [parameter, { field: name, example, by }] of Object.entries(declared.list?.filters ?? {})) {
    const field = fieldOf(declared, name)
    if (example === undefined || !field || by === 'true') continue
    try {
      const parse = by === 'contains' ? (field.type.parsePart ?? field.type.parse) : field.type.parse
      parse(String(example), 'its example', field)
    } catch (error) {
      report(`list.filters.${parameter}`, (error as Error).message)
    }
  }
}
