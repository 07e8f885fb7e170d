/** A request for a route that finds all that it needs: fresh records in its path, in a state that allows it, and a body that it takes. */
import { equal } from '../operation/condition.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import type { Route } from '../rest/route.ts'
import type { Row, Transaction } from '../storage/storage.ts'
import { type Caller, insertFresh, isPerson, type Maker, sampleOf, type Values } from './fresh-records.ts'

export type FreshRequest = { readonly path: string; readonly body: Values | undefined }

const hasBody = ['create', 'import', 'replace', 'update']
const hasNoRecord = ['create', 'import', 'list', 'export']

async function makeBody(maker: Maker, transaction: Transaction, { target, by }: Route): Promise<Values> {
  const { resource, operation } = target
  const isUpdate = operation === 'update'
  const values: Values = {}
  for (const name of isUpdate ? resource.storedNames : resource.requiredNames) {
    const field = resource.fields[name] as Field
    if (field.setBy !== undefined || name === by) continue
    if (isUpdate && (field.immutable || field.hidden || field.write)) continue
    if (!field.reference) values[name] = sampleOf(maker, name, field)
    else if (isPerson(maker, field)) values[name] = maker.otherParty
    else {
      const other = maker.engine.catalog.get(field.reference.resource)
      const row = await insertFresh(maker, transaction, { resource: other, ownerId: maker.otherParty })
      values[name] = row[other.idField]
    }
    if (isUpdate) break // one field is enough to change
  }
  return values
}

/** The value of each parameter of the path. The records above are found by walking up from the lowest. */
async function makeParameters(
  maker: Maker,
  transaction: Transaction,
  { route, owner }: { readonly route: Route; readonly owner: Caller },
): Promise<Values> {
  const { resource, operation } = route.target
  const find = async (target: Resource, id: unknown) =>
    (await transaction.find(target, equal(target.idField, id as string)))?.row
  const make = async (target: Resource, given: Values = {}): Promise<Row> =>
    target === maker.login.resource
      ? ((await find(target, owner.id)) as Row)
      : insertFresh(maker, transaction, { resource: target, ownerId: owner.id, given })
  const parameters: Values = {}
  let above: unknown
  const last = route.steps.at(-1)
  if (hasNoRecord.includes(operation)) {
    if (last) above = (await make(last.resource))[last.resource.idField]
  } else {
    const move = resource.moves[operation]
    const row = await make(resource, move && !move.move.repeatable ? { [move.field]: move.move.from[0] } : {})
    if (route.idParameter) parameters[route.idParameter] = row[resource.idField]
    if (route.by) above = row[route.by]
  }
  for (const step of route.steps.toReversed()) {
    if (step.parameter) parameters[step.parameter] = above
    else above = (await find(step.resource, above))?.[step.by as string]
  }
  return parameters
}

export async function makeFreshRequest(maker: Maker, route: Route, owner: Caller): Promise<FreshRequest> {
  return maker.engine.storage.transaction(async (transaction) => {
    const parameters = await makeParameters(maker, transaction, { route, owner })
    const body = hasBody.includes(route.target.operation) ? await makeBody(maker, transaction, route) : undefined
    return { path: route.path.replace(/:(\w+)/g, (_all, name: string) => String(parameters[name])), body }
  })
}
