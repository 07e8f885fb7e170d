/** Links the resources of a catalog to each other, before other code can read it. */

import type { DeclaredResource } from '../define.ts'
import { type Field, type Operator, treeOperator } from '../fields/field.ts'
import { isOneToOne } from '../fields/field-facts.ts'
import { linkLimitsOf, withIds } from '../fields/many-to-many.ts'
import { linkTableName } from '../made/link-table.ts'
import { crudKinds } from '../operation-kind.ts'
import type {
  ChildRelation,
  EmbeddedRelation,
  LinkRelation,
  ReferenceRelation,
  Resource,
  TrashRelation,
} from '../resolved-resource.ts'
import { timedNamesOf } from '../timed-names.ts'
import { canInTrash, canOf } from './can-member.ts'
import { relationsOf } from './relations.ts'

type Resources = ReadonlyMap<string, Resource>

/** Only this function and `linkField` write the maps of resources. */
export function linkResources(resources: Resources, declarations: readonly DeclaredResource[]): void {
  for (const declared of declarations) {
    const resource = resources.get(declared.name) as Resource
    for (const [name, child] of Object.entries(declared.children ?? {})) {
      const target = resources.get(child.resource) as Resource
      const operations = (child.operations ?? crudKinds).filter((kind) => target.access[kind])
      const links = resource.children as Record<string, ChildRelation>
      const { by, single = isOneToOne(target.fields[by]), inBody = false } = child
      const link = { resource: target, by, single, operations, inBody }
      links[name] = link
      if (inBody) (resource.nestedNames as string[]).push(name)
      ;(target.parents as Resource['parents'][number][]).push({ resource, link })
    }
    for (const name of resource.fieldNames) linkField(resources, resource, name)
  }
  for (const resource of resources.values()) linkTrash(resources, resource)
  for (const resource of resources.values())
    Object.assign(
      resource.relations,
      relationsOf(resource, (name) => resources.get(name) as Resource),
    )
  for (const resource of resources.values()) {
    ;(resource.timedNames as string[]).push(...timedNamesOf(resource))
    Object.assign(resource, { can: canOf(resource) })
  }
  for (const { can, trash } of resources.values())
    if (trash) Object.assign(trash.resource, { can: canInTrash(can, trash.resource) })
}

function linkTrash(resources: Resources, resource: Resource): void {
  const { made } = resource.traits
  if (made?.kind !== 'trash') return
  const trash: TrashRelation = { resource, takesOwn: made.days !== undefined }
  Object.assign(resources.get(made.of) as Resource, { trash })
}

function linkLinks(resources: Resources, resource: Resource, [name, field]: readonly [string, Field]): void {
  const { virtual } = field
  if (virtual?.kind !== 'links') return
  const target = resources.get(virtual.resource) as Resource
  const table = resources.get(linkTableName(resource.name, name)) as Resource
  const { max, values } = linkLimitsOf(field)
  const link: LinkRelation = { table, target, max, ordered: virtual.ordered, valueNames: Object.keys(values) }
  ;(resource.links as Record<string, LinkRelation>)[name] = link
  const ids = target.fields[target.idField]?.type.referredBy
  if (ids) (resource.fields as Record<string, Field>)[name] = withIds(field, ids)
}

function linkField(resources: Resources, resource: Resource, name: string): void {
  const field = resource.fields[name] as Field
  const { virtual, reference } = field
  if (virtual?.kind === 'embedded') {
    const parts = resources.get(virtual.resource) as Resource
    ;(parts.embeddedIn as EmbeddedRelation[]).push({ resource, by: virtual.by, max: virtual.max })
  }
  if (virtual?.kind === 'links') linkLinks(resources, resource, [name, field])
  if (!reference) return
  const target = resources.get(reference.resource) as Resource
  // A reference that is looked up is shown as one, and no record refers by it.
  if (!virtual) (target.referencedBy as ReferenceRelation[]).push({ resource, field: name, options: reference })
  const type = target.fields[target.idField]?.type.referredBy
  if (!type) return
  if (target.tree && !virtual) (resource.branches as Record<string, Resource>)[name] = target
  const operators: readonly Operator[] = virtual ? [] : target.tree ? [...type.operators, treeOperator] : type.operators
  const own = operators === type.operators ? type : { ...type, operators }
  ;(resource.fields as Record<string, Field>)[name] = { ...field, type: own }
}
