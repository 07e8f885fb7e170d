/**
 * `display`: hints for the console where the default is not enough. They are labels by language,
 * groups of fields, columns, the title of a record, widgets and the menu. The documents of the API
 * do not have them.
 */
import {
  isTable,
  listOfKind,
  type MemberKind,
  type Members,
  objectOf,
  oneOf,
  printValue,
  tableOf,
  textKind,
} from '../members.ts'
import { labelOf } from '../words/names.ts'

/** A text, or one for each language: `{ en: 'Price', de: 'Preis' }`. */
export type Texts = string | Readonly<Record<string, string>>

export const widgets = ['longText', 'markdown', 'url', 'email', 'phone', 'color', 'code'] as const
export type Widget = (typeof widgets)[number]

export type FieldGroup<K extends string = string> = {
  /** Its heading. */
  readonly label: Texts
  /** Its fields, in order. */
  readonly fields: readonly K[]
}

/** `K`: its fields; `T`: those of them that are texts; `X`: its actions and children. */
export type Display<K extends string = string, T extends string = string, X extends string = string> = {
  /** One record: `{ en: 'Product', de: 'Produkt' }`. */
  readonly label?: Texts
  /** Its records: `{ en: 'Products', de: 'Produkte' }`. */
  readonly plural?: Texts
  /** Field, action or children → its label: `{ price: { en: 'Price', de: 'Preis' } }`. */
  readonly labels?: Readonly<{ [N in K | X]?: Texts }>
  /**
   * Heading → its fields, in order: `{ Stock: ['stock', 'inStock'] }`, or `{ stock: { label: { en:
   * 'Stock', de: 'Lager' }, fields: [...] } }`. Fields of no group come before them.
   */
  readonly groups?: Readonly<Record<string, readonly K[] | FieldGroup<K>>>
  /** The fields that a list shows, in order; all of them when absent. */
  readonly columns?: readonly K[]
  /** The field whose value names a record for people. */
  readonly title?: K
  /** Field → how people read and write its text: `{ description: 'markdown' }`. */
  readonly widgets?: Readonly<{ [N in T]?: Widget }>
  /** The heading of the menu that it stands under; false: it stands in no menu. */
  readonly menu?: Texts | false
}

const languagePattern = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/

/** A text, or a table of languages. */
export const textsKind: MemberKind = (value, path, report) => {
  if (!isTable(value)) {
    if (typeof value !== 'string' || value === '')
      report({ path, problem: `must be a text, or one for each language, and is ${printValue(value)}` })
    return
  }
  const tags = Object.entries(value)
  if (tags.length === 0) report({ path, problem: 'has no language' })
  for (const [tag, text] of tags) {
    if (languagePattern.test(tag)) textKind(text, `${path}.${tag}`, report)
    else report({ path, problem: `"${tag}" is no language such as en or de-AT` })
  }
}

const names = listOfKind(textKind)
const groupMembers = { label: textsKind, fields: names } satisfies Members<FieldGroup>
const group = objectOf(groupMembers, { needed: ['label', 'fields'] })
const members = {
  label: textsKind,
  plural: textsKind,
  labels: tableOf(textsKind),
  groups: tableOf((value, path, report) => (Array.isArray(value) ? names : group)(value, path, report)),
  columns: names,
  title: textKind,
  widgets: tableOf(oneOf(widgets)),
  menu: (value, path, report) => value === false || textsKind(value, path, report),
} satisfies Members<Display>

export const displayKind = objectOf(members)

/** The groups in order, each with its label. */
export function groupsOf({ groups = {} }: Display): readonly FieldGroup[] {
  return Object.entries(groups).map(([label, one]) => ('fields' in one ? one : { label, fields: one }))
}

export type LabelTexts = { readonly label: string; readonly labels?: Readonly<Record<string, string>> }

/** The text for readers whose language is not in the table, and the table. */
export function labelTexts(texts: Texts): LabelTexts {
  if (typeof texts === 'string') return { label: texts }
  return { label: texts.en ?? (Object.values(texts)[0] as string), labels: texts }
}

type Named = { readonly label: string; readonly plural: string; readonly display: Display }
export type ShownNames = LabelTexts & { readonly plural: string; readonly plurals?: LabelTexts['labels'] }

/** The names of a resource for people: of one record, and of several. */
export function namesShown({ label, plural, display }: Named): ShownNames {
  const several = labelTexts(display.plural ?? labelOf(plural))
  return {
    ...labelTexts(display.label ?? label),
    plural: several.label,
    ...(several.labels && { plurals: several.labels }),
  }
}
