/** The one table of fields: a type or widget without a row does not compile. */
import type { FieldTypeName, WidgetName } from 'bindery-server/client'
import type { FieldKind, KindField } from './field-kind.ts'
import { fileKind } from './files/file-kind.tsx'
import { booleanKind } from './kinds/boolean-kind.tsx'
import { choiceKind } from './kinds/choice-kind.tsx'
import { clockKind } from './kinds/clock-kind.tsx'
import { codeKind } from './kinds/code-kind.tsx'
import { colorKind } from './kinds/color-kind.tsx'
import { dateKind } from './kinds/date-kind.tsx'
import { digitsKind } from './kinds/digits-kind.tsx'
import { emailKind } from './kinds/email-kind.tsx'
import { jsonKind } from './kinds/json-kind.tsx'
import { linksKind } from './kinds/links-kind.tsx'
import { longTextKind } from './kinds/long-text-kind.tsx'
import { markdownKind } from './kinds/markdown-kind.tsx'
import { moneyKind } from './kinds/money-kind.tsx'
import { integerKind, numberIdKind, numberKind } from './kinds/number-kind.tsx'
import { phoneKind } from './kinds/phone-kind.tsx'
import { numberReferenceKind, referenceKind } from './kinds/reference-kind.tsx'
import { secretKind } from './kinds/secret-kind.tsx'
import { slugKind, textKind, uuidKind } from './kinds/text-kind.tsx'
import { listKind, textListKind } from './kinds/text-list-kind.tsx'
import { timeKind } from './kinds/time-kind.tsx'
import { urlKind } from './kinds/url-kind.tsx'

const ofTypes: Readonly<Record<FieldTypeName, FieldKind>> = {
  text: textKind,
  integer: integerKind,
  bigint: digitsKind,
  decimal: digitsKind,
  float: numberKind,
  money: moneyKind,
  boolean: booleanKind,
  choice: choiceKind,
  date: dateKind,
  time: clockKind,
  timestamp: timeKind,
  textList: textListKind,
  list: listKind,
  uuid: uuidKind,
  url: urlKind,
  slug: slugKind,
  json: jsonKind,
  id: textKind,
  integerId: numberIdKind,
  reference: referenceKind,
  integerReference: numberReferenceKind,
  autoNumber: textKind,
  manualOrder: textKind,
  password: secretKind,
  token: secretKind,
  hash: secretKind,
  sealed: secretKind,
  embedded: jsonKind,
  manyToMany: linksKind,
  file: fileKind,
  image: fileKind,
  files: fileKind,
}
const ofWidgets: Readonly<Record<WidgetName, FieldKind>> = {
  longText: longTextKind,
  markdown: markdownKind,
  url: urlKind,
  email: emailKind,
  phone: phoneKind,
  color: colorKind,
  code: codeKind,
}
/** Values that are made when a record is read have no more than a schema. */
const ofSchemas: Readonly<Record<string, FieldKind>> = {
  string: textKind,
  integer: integerKind,
  number: numberKind,
  boolean: booleanKind,
}
const lineMax = 255

type Asked = KindField & { readonly sortable?: boolean; readonly unique?: boolean }

/** A text that may be long, and that people do not sort or find records by. */
function isLong({ sortable = true, unique, schema }: Asked): boolean {
  return !sortable && !unique && Number(schema.maxLength) > lineMax
}

export function kindOf(field: Asked): FieldKind {
  const { type, widget, schema } = field
  if (widget !== undefined) return ofWidgets[widget]
  if (schema.enum !== undefined) return choiceKind
  if (type === 'embedded') return ofSchemas[String(schema.type)] ?? jsonKind
  if (type === 'decimal' && schema.type === 'number') return numberKind
  if (type !== 'text') return ofTypes[type]
  if (schema.format === 'email') return emailKind
  return isLong(field) ? longTextKind : textKind
}
