/** The fields that a rule compares on its way over references to another record. */
import type { JudgedCatalog, JudgedField, JudgedResource } from '../rule.ts'

/** The references, the ids of the records that they name, and the last field. No path: the id. */
export function fieldsOnPath(
  catalog: JudgedCatalog,
  { name, idField, fields }: JudgedResource,
  path: readonly string[],
): readonly JudgedField[] {
  const [field, ...rest] = path
  if (field === undefined) return [{ resource: name, field: idField }]
  if (rest.length === 0) return [{ resource: name, field }]
  const target = catalog.get(fields[field]?.reference?.resource ?? '')
  const named = { resource: target.name, field: target.idField }
  return [{ resource: name, field }, named, ...fieldsOnPath(catalog, target, rest)]
}
