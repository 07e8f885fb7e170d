/**
 * Names that a declaration imports, for sentences about a name that does not exist. A test holds
 * that the entry exports each of them.
 */
import { findMeant } from './nearest.ts'

export const fieldTypeNames: readonly string[] = [
  'id',
  'integerId',
  'autoNumber',
  'manualOrder',
  'text',
  'textList',
  'list',
  'uuid',
  'url',
  'slug',
  'json',
  'integer',
  'bigint',
  'decimal',
  'float',
  'money',
  'boolean',
  'date',
  'time',
  'timestamp',
  'choice',
  'state',
  'reference',
  'oneToOne',
  'manyToMany',
  'file',
  'image',
  'files',
  'roleField',
  'password',
  'token',
  'embedded',
  'lookup',
  'derived',
  'computed',
  'count',
  'sum',
  'latest',
]

/** In the order in which a sentence lists them. */
export const ruleNames: readonly string[] = [
  'anyone',
  'user',
  'role',
  'ability',
  'operator',
  'owner',
  'where',
  'through',
  'member',
  'can',
  'some',
  'none',
  'every',
  'anyOf',
  'allOf',
  'not',
  'apiKey',
  'onlyWhen',
]

/** Field types of other frameworks and databases, and what a declaration writes instead. */
const elsewhere: Readonly<Record<string, string>> = {
  string: 'text',
  varchar: 'text',
  email: "text({ format: 'email' })",
  permalink: 'slug',
  number: 'integer',
  int: 'integer',
  autoincrement: 'autoNumber',
  sequence: 'autoNumber',
  order: 'manualOrder',
  position: 'manualOrder',
  rank: 'manualOrder',
  sortable: 'manualOrder',
  serial: 'autoNumber',
  double: 'float',
  real: 'float',
  numeric: 'decimal',
  bool: 'boolean',
  checkbox: 'boolean',
  datetime: 'timestamp',
  enumeration: 'choice',
  select: 'choice',
  relation: 'reference',
  relationship: 'reference',
  guid: 'uuid',
  uri: 'url',
  array: 'list, or a resource of its own',
  jsonb: 'json',
  object: 'json, or a resource of its own',
  virtual: 'derived',
  attachment: 'file',
  upload: 'file',
  picture: 'image',
  media: 'file, image or files',
  formula: 'computed, which is stored, or derived',
}

/**
 * `meantElsewhere('bool')` → `; write boolean`; nothing for a name that no other framework has.
 */
export function meantElsewhere(name: string): string {
  const word = name.toLowerCase()
  return Object.hasOwn(elsewhere, word) ? `; write ${elsewhere[word]}` : ''
}

/**
 * The end of a sentence about a name that the entry does not export. It gives the word for what
 * other frameworks call so, or the nearest name, or all field types.
 */
export function meantEntry(name: string, names: readonly string[]): string {
  // Types of the entry begin with a capital, and are no values.
  const alike = names.filter((one) => /^[A-Z]/.test(one) === /^[A-Z]/.test(name))
  return meantElsewhere(name) || findMeant(name, alike) || `; the field types are ${fieldTypeNames.join(', ')}`
}
