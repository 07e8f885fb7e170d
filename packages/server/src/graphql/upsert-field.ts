/**
 * `upsertThing(on: "shelfId,place", input: …)`: replaces the record with these values of a unique
 * key, or creates it. Each attempt is a mutation of its own kind.
 */
import { checkBody } from '../operation/body.ts'
import type { Engine } from '../perform/engine.ts'
import { createOrReplace, keyNamed, onName, whereKeyed, whereShown } from '../perform/keyed-record.ts'
import type { Admission } from '../policy/policy.ts'
import { all } from '../resource/condition.ts'
import type { Principal } from '../resource/principal.ts'
import { bodyJson } from './body-json.ts'
import type { RootField } from './root.ts'
import type { FieldArguments } from './schema/list-arguments.ts'

type UpsertDeps = { readonly engine: Engine; readonly principal: Principal; readonly root: RootField }
type Act<T> = (root: RootField, admission: Admission, args: FieldArguments) => Promise<T>

/** Throws the errors of a create and of a replace. */
export function upsertField<T>(
  { engine, principal, root }: UpsertDeps,
  { [onName]: on, ...args }: FieldArguments,
  act: Act<T>,
): Promise<T> {
  const { resource } = root.target
  const replacing: RootField = { ...root, target: { ...root.target, operation: 'replace' }, hasId: true }
  const toCreate = engine.policy.admit(principal, root.target)
  const toReplace = engine.policy.admit(principal, replacing.target)
  const key = keyNamed(resource, on)
  const { visible, visibleWhere } = toCreate
  const { values } = checkBody(
    { resource, kind: 'create', visible, visibleWhere, nests: true },
    bodyJson(resource, 'create', args.input),
  )
  const named = whereKeyed(resource, { key, principal, sentAs: (name) => values.get(name) })
  return createOrReplace(engine, {
    resource,
    where: all(named, whereShown(toReplace, resource, key)),
    needsRecord: typeof args.version === 'number',
    create: () => act(root, toCreate, args),
    replace: (id) => act(replacing, toReplace, { ...args, id }),
  })
}
