/** Finds mistakes in derived fields that follow a stored one. */
import { type DeclarationCheck, noField } from '../../checks/declaration-check.ts'
import type { Field } from '../field.ts'
import { followsOf } from './followers.ts'

/** The values between which there is none other. */
const steppedTypes: readonly string[] = ['integer', 'boolean']

export function checkFollows({ declared, report }: DeclarationCheck): void {
  for (const [name, field] of Object.entries<Field>(declared.fields)) {
    const follows = followsOf(field)
    if (!follows) continue
    const at = `field "${name}"`
    const source = Object.hasOwn(declared.fields, follows.field) ? (declared.fields[follows.field] as Field) : undefined
    if (!source) report(at, `follows: ${noField(declared, follows.field)}`)
    else if (source.virtual || source.hidden || source.type.isOpaque || source.type.isList || source.type.secret)
      report(at, `follows: "${follows.field}" is no stored field with an order that callers see`)
    if (follows.bounds && !steppedTypes.includes(field.type.name))
      report(at, 'bounds: is for an integer or a boolean, whose next value is known')
  }
}
