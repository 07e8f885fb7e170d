/**
 * The shape of a request or response body: fields, as a resource has them, and one sentence. The
 * shape checks incoming values, types outgoing ones, and describes both in the OpenAPI document.
 */
import { ApiError } from '../errors.ts'
import { checkObject, unknownField } from '../operation/body.ts'
import { collectProblems } from '../operation/problem-collector.ts'
import { type Field, type Fields, fieldError } from '../resource/fields/field.ts'
import { isField } from '../resource/fields/field-kind.ts'
import { isBlank } from '../resource/fields/text.ts'
import type { RecordOf, StoredName } from '../resource/record-of.ts'
import { judgesAbsence } from './route-fields.ts'

type ShapeOptions = {
  /** Documents call it this. One without a name stands where it is used. */
  readonly name?: string
  /** Unknown members are ignored: for bodies that other programs send as well. */
  readonly ignoresOthers?: true
  /** The sentence about required fields that are not there, in place of one for each. */
  readonly missing?: string
}
export type BodyShape<F extends Fields = Fields> = ShapeOptions & {
  readonly about: string
  readonly fields: F
  /** Of what it is a part: documents show the whole. */
  readonly whole?: BodyShape
  /** It has the members of this one too, and documents say so. */
  readonly beside?: { readonly other: BodyShape; readonly own: BodyShape }
}

/** `shape('Who logs in.', { email: sentText(…), password: sentText(…) }, { name: 'Login' })` */
export function bodyShape<const F extends Fields>(about: string, fields: F, options: ShapeOptions = {}): BodyShape<F> {
  return { about, fields, ...options }
}

type Needed<X> = X extends Field<infer V, infer M, infer T> ? Field<NonNullable<V>, M, T> : never
type PartOf<F, N extends keyof F, R> = { readonly [K in N]: K extends R ? Needed<F[K]> : F[K] }

/**
 * Some fields of a shape, which documents show whole: a body may have fewer than such bodies have.
 * `needed`: it must have these.
 * `partOf(proof, ['ticket', 'code'], ['ticket'])`
 */
export function partOf<F extends Fields, const N extends Extract<keyof F, string>, const R extends N = never>(
  whole: BodyShape<F>,
  names: readonly N[],
  needed: readonly R[] = [],
): BodyShape<PartOf<F, N, R>> {
  const isNeeded = (name: string) => (needed as readonly string[]).includes(name)
  const fields = names.map((name) => {
    const field = whole.fields[name] as Field
    return [name, isNeeded(name) ? { ...field, required: true, nullable: false } : field]
  })
  return { ...whole, fields: Object.fromEntries(fields) as never, whole }
}

/**
 * Another shape with further fields: `besides(proof, shape('The factor.', { type }), { about, name
 * })`.
 */
export function besides<F extends Fields, G extends Fields>(
  other: BodyShape<F>,
  own: BodyShape<G>,
  { about, name }: { readonly about: string; readonly name: string },
): BodyShape<F & G> {
  return { about, name, fields: { ...own.fields, ...other.fields }, beside: { other, own } }
}

/** Fields alone are a shape of which nothing is said. */
export type BodyShapeOrFields = BodyShape | Fields
export type ShapeFields<S> = S extends BodyShape<infer F> ? F : S extends Fields ? S : Record<never, never>

export function shapeOf(given: BodyShapeOrFields): BodyShape {
  return isShape(given) ? given : { about: '', fields: given }
}

/** A table of fields may have one that is called `fields`. */
export function isShape(given: unknown): given is BodyShape {
  const { fields } = (given ?? {}) as Partial<BodyShape>
  return typeof fields === 'object' && !isField(fields)
}

/** The argument of `run`: null where nothing was sent. */
export type ParsedBody<S> = RecordOf<ShapeFields<S>>

type AlwaysShown<F> = { [N in StoredName<F>]: null extends RecordOf<F>[N] ? never : N }[StoredName<F>]
/** The answer of `run`: fields that are not required may be left out. */
export type ReturnedBody<S> =
  ShapeFields<S> extends infer F
    ? Pick<RecordOf<F>, AlwaysShown<F> & keyof RecordOf<F>> & {
        readonly [N in StoredName<F>]?: RecordOf<F>[N] | undefined
      }
    : never

/** Prose that is blank is missing, as in records; a credential of blanks is a wrong one. */
function isMissing(sent: unknown, { type }: Field): boolean {
  return sent === undefined || sent === null || sent === '' || (type.isProse === true && isBlank(sent))
}

type SentBody = Readonly<Record<string, unknown>>

/** `null` where nothing was sent and nothing is needed. Throws `bad-request`. */
function checkField(name: string, field: Field, sent: unknown): unknown {
  const fallback = typeof field.default === 'function' ? null : (field.default ?? null)
  const isAbsent = sent === undefined || (sent === null && field.nullable)
  if (isAbsent && !(field.required && judgesAbsence(field))) return fallback
  return field.type.check(sent, name, field)
}

/**
 * A body → the values of its fields. Throws `bad-request` with all that is wrong; the sentence is
 * about the first.
 */
export function checkShape(form: BodyShape, body: unknown): SentBody {
  const sent = checkObject(body ?? {})
  const { fields, ignoresOthers, missing: sentence } = form
  const mistakes = collectProblems()
  for (const name of ignoresOthers ? [] : Object.keys(sent))
    if (!Object.hasOwn(fields, name) && !mistakes.isFull) mistakes.add(unknownField(name))
  const values: Record<string, unknown> = {}
  const missing: string[] = []
  for (const [name, field] of Object.entries(fields)) {
    const own = Object.hasOwn(sent, name) ? sent[name] : undefined
    mistakes.during(() => {
      const isGone = field.required && !judgesAbsence(field) && isMissing(own, field)
      // A sentence about several fields covers those that are left out.
      if (!isGone || (sentence && own === null)) values[name] = checkField(name, field, own)
      else if (sentence) missing.push(name)
      else throw fieldError(name, 'is required')
    })
  }
  // It is about the whole body, and is said where nothing else is wrong.
  if (missing.length > 0 && mistakes.isEmpty) {
    const each = missing.map((field) => ({ field, detail: `${field} is required` }))
    mistakes.add(new ApiError('bad-request', sentence as string, { mistakes: each }))
  }
  mistakes.end()
  return values
}
