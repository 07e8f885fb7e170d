/**
 * Ties counted fields to the records that they count. Each gets its type, and the resource of those
 * records learns which fields follow from it.
 */
import { type CountedForm, sumFormOf } from '../fields/counted.ts'
import type { CountedBy } from '../fields/counted-by.ts'
import type { Field, Fields } from '../fields/field.ts'
import { anonymous } from '../principal.ts'
import type { CountedIn, Resource } from '../resolved-resource.ts'
import type { JudgedCatalog, Rule, ServiceSettings } from '../rule.ts'
import { type WhereValues, where } from '../rules/where/where.ts'
import { pluralOf } from '../words/names.ts'

type CountingResource = {
  readonly name: string
  readonly plural?: string | undefined
  readonly fields: Fields
  readonly children?: Readonly<Record<string, { readonly resource: unknown; readonly by: string }>> | undefined
}
export type CountedLink<R> = { readonly resource: R; readonly by: string }

/** The stored references of one resource to another. */
function referencesTo({ fields }: CountingResource, name: string): string[] {
  return Object.keys(fields).filter((one) => !fields[one]?.virtual && fields[one]?.reference?.resource === name)
}

/**
 * The records that the relation names: a child, or the resource of this plural with one reference
 * to it. A sentence where there are none, or where two references may be meant.
 */
export function countedLink<R extends CountingResource>(
  all: Iterable<R>,
  counting: CountingResource,
  relation: string,
): CountedLink<R> | string {
  const child =
    counting.children && Object.hasOwn(counting.children, relation) ? counting.children[relation] : undefined
  const childName = (child?.resource as CountingResource | undefined)?.name ?? child?.resource
  const listed = [...all]
  const named = listed.find((one) => (child ? one.name === childName : (one.plural ?? pluralOf(one.name)) === relation))
  if (!named)
    return `no relation "${relation}": name one of children, or the plural of a resource that refers to this one`
  const references = referencesTo(named, counting.name)
  if (child) return { resource: named, by: child.by }
  const [by] = references
  if (by === undefined) return `"${named.name}" has no reference to "${counting.name}"`
  if (references.length > 1)
    return `"${named.name}" has the references ${references.join(' and ')} to "${counting.name}": name one of them under children`
  return { resource: named, by }
}

/** The form that the counted values have; undefined where the field cannot be counted so. */
export function countedForm({ kind, field: name }: CountedBy, { fields }: CountingResource): CountedForm | undefined {
  const field = name === undefined || !Object.hasOwn(fields, name) ? undefined : fields[name]
  if (kind === 'sum') return field && sumFormOf(field)
  return field?.type.inTime && { type: field.type, limits: {} }
}

/** The condition on the counted records, as a rule; undefined where all count. */
export function ruleOfCounted({ where: values }: CountedBy): Rule | undefined {
  return values && (where(values as WhereValues) as Rule)
}

type Linking = { readonly catalog: JudgedCatalog; readonly resources: ReadonlyMap<string, Resource> }
/** No setting and no caller decides about these conditions. */
const noSettings: ServiceSettings = { currency: '', signUp: 'closed' }

/** Call it when the references are linked. */
export function linkCounted({ catalog, resources }: Linking): void {
  for (const parent of resources.values()) {
    for (const name of parent.countedNames) {
      const field = parent.fields[name] as Field
      const counted = field.counted as CountedBy
      const link = countedLink(resources.values(), parent, counted.relation)
      if (typeof link === 'string') throw new Error(link)
      const { resource, by } = link
      const asked = { catalog, resource, settings: noSettings, principal: anonymous, now: () => '' }
      const rule = ruleOfCounted(counted)
      const where = rule?.type.where(rule, asked)
      const form = counted.kind === 'count' ? {} : countedForm(counted, resource)
      ;(parent.fields as Record<string, Field>)[name] = { ...field, ...form }
      const of: CountedIn = { parent, name, resource, by, kind: counted.kind, field: counted.field, where }
      ;(resource.countedIn as CountedIn[]).push(of)
      ;(parent.counts as Record<string, CountedIn>)[name] = of
    }
  }
}
