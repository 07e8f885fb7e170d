/** Finds mistakes in manual orders: what their records share, and what else would set a place. */
import { pathOf } from '../../checks/check-numbers.ts'
import type { DeclarationCheck } from '../../checks/declaration-check.ts'
import { findMeant } from '../../words/nearest.ts'
import type { Field } from '../field.ts'

/** An order of several tenants would tell each of the others. */
function tenantMistake(path: readonly string[] | undefined, within: string | undefined): string | undefined {
  if (path === undefined || path.length === 1) return undefined
  if (path.length === 0) return 'orders the tenants, and so tells each of the others: leave it out'
  return within === path[0] ? undefined : `orders records of several tenants: within: '${path[0]}'`
}

function withinMistake({ declared }: DeclarationCheck, name: string, within: string | undefined): string | undefined {
  if (within === undefined) return undefined
  const field = Object.hasOwn(declared.fields, within) ? (declared.fields[within] as Field) : undefined
  if (!field) return `within: there is no field "${within}"${findMeant(within, Object.keys(declared.fields))}`
  const { type, virtual, counted, hidden } = field
  if (within === name || virtual || counted || hidden || type.isOpaque || type.isList || type.referredBy || type.secret)
    return `within: "${within}" is no stored value that records share`
  return undefined
}

export function checkPlaces(context: DeclarationCheck): void {
  const { declared, report } = context
  const placed = Object.entries<Field>(declared.fields).filter(([, { type, virtual }]) => type.places && !virtual)
  for (const [i, [name, field]] of placed.entries()) {
    const at = `field "${name}"`
    const within = field.type.places?.within(field)
    const wrong = withinMistake(context, name, within) ?? tenantMistake(pathOf(context), within)
    if (wrong) report(at, wrong)
    if (i > 0) report(at, `a resource has one manual order, and "${placed[0]?.[0]}" is one`)
    if (declared.onWrite && Object.hasOwn(declared.onWrite, name))
      report('onWrite', `"${name}" is placed by the engine`)
    for (const beside of [`${name}Before`, `${name}After`])
      if (Object.hasOwn(declared.fields, beside)) report(at, `GraphQL moves by ${beside}, which is another field`)
    if (declared.unique?.some((key) => key.includes(name))) report('unique', `"${name}" is no part of a key`)
  }
}
