/**
 * The slug field: a readable name for addresses, made from another field when a record is created.
 * A later change of that field keeps the slug, so that links stay.
 */
import { foldAccents } from '../../../base/fold.ts'
import { countKind, type MemberProblem, type Members, takeOptions, textKind } from '../../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  makeField,
} from '../field.ts'
import { isLonger, isPlainText, parsePart } from '../text.ts'

type SlugLimits = { readonly from: string; readonly maxLength: number }

const lengthDefault = 100
/** Room for `-2` and further. */
const lengthLeast = 20
const slugPattern = /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u

/**
 * `'Crème Brûlée, 2nd'` → `creme-brulee-2nd`, at a boundary of a word where it is too long. Empty
 * where the text has no letter or digit.
 */
export function slugOf(text: string, maxLength = lengthDefault): string {
  const words = foldAccents(text.replace(/['’]/gu, '')).match(/[\p{L}\p{N}]+/gu) ?? []
  let slug = ''
  for (const word of words) {
    const next = slug === '' ? word : `${slug}-${word}`
    if (isLonger(next, maxLength)) break
    slug = next
  }
  return slug === '' ? [...(words[0] ?? '')].slice(0, maxLength).join('') : slug
}

/** Throws `bad-request`. */
function parseSlug(value: unknown, name: string, { limits }: FieldOf<SlugLimits>): string {
  if (typeof value !== 'string') throw fieldError(name, 'must be a string')
  if (isLonger(value, limits.maxLength)) throw fieldError(name, `must be at most ${limits.maxLength} characters`)
  if (!slugPattern.test(value) || foldAccents(value) !== value)
    throw fieldError(
      name,
      'must be small letters without accents and digits, with single hyphens between, such as my-page-2',
    )
  return value
}

export const slugType: FieldType<SlugLimits> = {
  name: 'slug',
  column: 'text',
  operators: ['eq', 'ne', 'in', 'startsWith', 'null'],
  scalar: 'String',
  madeFrom: {
    field: ({ limits }) => limits.from,
    make: (text, { limits }) => slugOf(text, limits.maxLength),
    numbered(slug, count, { limits }) {
      const end = `-${count}`
      return `${[...slug]
        .slice(0, limits.maxLength - end.length)
        .join('')
        .replace(/-+$/, '')}${end}`
    },
  },
  check: parseSlug,
  checkStored: parseSlug,
  isComparable: isPlainText,
  parse: (text, name, field) => parsePart(text, name, { ...field, limits: { maxLength: field.limits.maxLength } }),
  parseCell: (cell, name, field) => parseSlug(cell.trim(), name, field),
  lengthMax: ({ limits }) => limits.maxLength,
  schema: ({ limits }) => ({ type: 'string', pattern: slugPattern.source, maxLength: limits.maxLength }),
  limitsMistake: ({ maxLength }) =>
    maxLength < lengthLeast ? `maxLength (${maxLength}) is below ${lengthLeast}` : undefined,
}

type SlugOptions<L extends string = string, Q extends string = string> = CommonOptions<
  boolean,
  undefined,
  string,
  never,
  L,
  Q
> & {
  /** The text that it is made from, where none is sent: `'title'`. */
  from: string
  /** In characters; 100 by default. */
  maxLength?: number
}
const members = { ...commonMembers, from: textKind, maxLength: countKind } satisfies Members<SlugOptions>

/** Each slug is unique, made where none is sent, and kept by a PUT without it. */
const needless = ['required', 'default', 'unique', 'keepOnReplace'] as const

/**
 * A readable name for addresses, unique in its table or tenant: `slug({ from: 'title' })`. Where
 * none is sent, the server makes one of the other field: `Crème Brûlée` → `creme-brulee`, and
 * `creme-brulee-2` where that is taken. It stays when the other field changes. The record of a slug
 * is at `GET /posts/by-slug/{slug}`.
 */
export function slug<L extends string = never, Q extends string = never>(
  options: SlugOptions<L, Q>,
): Field<string, string, { kind: 'text'; filled: true; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { from, maxLength = lengthDefault, ...common } = known as SlugOptions
  const said = needless.filter((name) => common[name] !== undefined)
  const missing = { path: 'from', problem: 'must say the text that it is made from' } as const
  const wrong: MemberProblem[] = said.map((path) => ({ path, problem: 'means nothing for a slug', isFormRight: true }))
  const fixed = { required: false, default: undefined, unique: true, keepOnReplace: true, nullable: false }
  return makeField(slugType, {
    example: 'my-page-2',
    ...common,
    ...fixed,
    limits: { from, maxLength },
    mistakes: [...mistakes, ...wrong, ...(from === undefined ? [missing] : [])],
  } as never)
}
