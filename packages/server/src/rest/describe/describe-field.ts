/** Describes a field for front ends: how a list shows it and how a form asks for it. */
import type { FieldDescription } from '../../client/resource-description.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { labelTexts } from '../../resource/display/declared-display.ts'
import type { Field } from '../../resource/fields/field.ts'
import { isAlwaysRequired, isOnRequest, takesValues } from '../../resource/fields/field-facts.ts'
import type { FileLimits } from '../../resource/fields/files/file-options.ts'
import type { ImageVariant } from '../../resource/fields/files/image-variant.ts'
import { linkLimitsOf } from '../../resource/fields/many-to-many.ts'
import { type BodyKind, bodyKinds } from '../../resource/operation-kind.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import { labelOf } from '../../resource/words/names.ts'

type DescribedField = {
  readonly catalog: Catalog
  readonly settings: ServiceSettings
  readonly name: string
  readonly field: Field
  /** The requests of this caller whose body may have it. */
  readonly settable: readonly BodyKind[]
}

const forms = ['create', 'replace'] as const

function referenceOf({ catalog, field }: DescribedField): Pick<FieldDescription, 'reference'> {
  const { reference, virtual } = field
  if (virtual?.kind === 'links') return { reference: { resource: catalog.get(virtual.resource).slug, match: [] } }
  if (!reference) return {}
  return { reference: { resource: catalog.get(reference.resource).slug, match: reference.match } }
}

/** The values of a link are set wherever the links are. */
function linksOf({ field: { virtual }, ...described }: DescribedField, field: Field): Pick<FieldDescription, 'links'> {
  if (virtual?.kind !== 'links') return {}
  const values = Object.entries(linkLimitsOf(field).values)
  const fields = values.map(([name, one]) => describeField({ ...described, name, field: one }))
  return { links: { ordered: virtual.ordered, fields } }
}

/** The value of a reference stands for a record: `eventId` → `Event`. */
function labelOfField(name: string, { reference }: Field): string {
  return labelOf(reference ? name.replace(/(?<=.)Id$/, '') : name)
}

/** The facts of a field that is no part of a list, such as the input of an action. */
export function describeField(described: DescribedField): FieldDescription {
  const { name, field, settable, settings } = described
  const { type, description } = field
  return {
    name,
    label: labelOfField(name, field),
    type: type.name,
    schema: type.schema(field),
    ...(description !== undefined && { description }),
    required: forms.filter((kind) => settable.includes(kind) && isAlwaysRequired(field, kind)),
    settable,
    nullable: field.nullable,
    sortable: false,
    operators: [],
    searched: false,
    unique: field.unique,
    partlyShown: false,
    ...referenceOf(described),
    ...linksOf(described, field),
    ...(type.name === 'money' && { currency: settings.currency }),
    ...(isOnRequest(field) && { returned: 'request' as const }),
    virtual: !takesValues(field),
    secret: type.secret !== undefined,
    deprecated: field.deprecated !== undefined,
  }
}

/** The part of a variant that tells how large it is. */
const sidesOf = ({ width, height }: ImageVariant) => ({ ...(width && { width }), ...(height && { height }) })

function filesOf({ slug }: Resource, field: Field): Pick<FieldDescription, 'file'> {
  const { holdsFiles } = field.type
  if (!holdsFiles) return {}
  const { types, bytesMax, filesMax, variants = {} } = field.limits as FileLimits
  const sides = Object.entries(variants).map(([variant, one]) => [variant, sidesOf(one)] as const)
  return {
    file: {
      resource: slug,
      ...(types && { types }),
      bytesMax,
      ...(holdsFiles === 'many' && { filesMax }),
      ...(sides.length > 0 && { variants: Object.fromEntries(sides) }),
    },
  }
}

/** A field of a record, with what lists of the resource do with it. */
export function describeRecordField(resource: Resource, described: DescribedField): FieldDescription {
  const { list, partlyShown } = resource
  const { name, field } = described
  const { labels, widgets } = resource.display
  const widget = widgets?.[name]
  return {
    ...describeField(described),
    ...labelTexts(labels?.[name] ?? labelOfField(name, field)),
    ...filesOf(resource, field),
    ...(widget && { widget }),
    sortable: list.sortable.has(name),
    operators: list.filterable.has(name) ? field.type.operators : [],
    searched: list.search.includes(name),
    partlyShown: partlyShown.includes(name),
  }
}

/** The requests that may set the field, of those that the caller may send. */
export function settingRequests(sets: Readonly<Record<BodyKind, readonly string[]>>, name: string): BodyKind[] {
  return bodyKinds.filter((kind) => sets[kind].includes(name))
}
