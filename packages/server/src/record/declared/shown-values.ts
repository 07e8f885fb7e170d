/** Values as the code of a declaration receives them. */
import type { Resource } from '../../resource/catalog.ts'
import type { Values } from '../../storage/storage.ts'

/**
 * A frozen copy. A hook changes values only by the ones that it returns, and a check changes none.
 * To set a value in place is a fault (500), so no unchecked value is stored.
 */
export function shown(values: Values): Values {
  const copies = Object.entries(values).map(([name, value]) => [
    name,
    Array.isArray(value) ? Object.freeze([...value]) : value,
  ])
  return Object.freeze(Object.fromEntries(copies))
}

/** The stored values of a record without its secrets: operators can read waiting effects. */
export function openValues({ storedNames, fields }: Resource, row: Values): Values {
  return Object.fromEntries(storedNames.filter((name) => !fields[name]?.type.secret).map((name) => [name, row[name]]))
}
