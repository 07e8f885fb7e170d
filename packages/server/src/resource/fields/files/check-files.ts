/**
 * Finds mistakes in fields that hold files: their bytes have an address below the record, which
 * nothing else may have.
 */
import type { DeclarationCheck } from '../../checks/declaration-check.ts'
import { engineTraits } from '../../define.ts'
import { kebabOf } from '../../words/names.ts'

/** The parts of paths below a record that are taken. */
function takenBelow({ declared }: DeclarationCheck): ReadonlyMap<string, string> {
  const { children = {}, actions = {}, fields } = declared
  const transitions = Object.values(fields).flatMap((field) => Object.keys(field.transitions ?? {}))
  return new Map([
    ...Object.keys(children).map((name) => [kebabOf(name), `the children "${name}"`] as const),
    ...[...Object.keys(actions), ...transitions].map((name) => [kebabOf(name), `the action "${name}"`] as const),
  ])
}

export function checkFiles(context: DeclarationCheck): void {
  const { declared, report } = context
  const names = Object.keys(declared.fields).filter((name) => declared.fields[name]?.type.holdsFiles)
  if (names.length === 0 || declared[engineTraits]?.made) return
  const taken = takenBelow(context)
  for (const name of names) {
    const at = `field "${name}"`
    if (declared.path === undefined) report(at, 'holds files, which have an address below the record: it needs a path')
    const other = taken.get(kebabOf(name))
    if (other) report(at, `has the address of ${other}: choose another name`)
  }
}
