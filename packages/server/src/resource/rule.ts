/**
 * Rules as data: what a declaration says about who may do what. `policy/` judges them; nothing here decides.
 * `K` is the union of the field names that a rule mentions, so a rule about a field that does not exist does not compile.
 */

/** In rising order: a required role means that role or a higher one. */
export const roles = ['USER', 'EDITOR', 'ADMIN'] as const
export type Role = (typeof roles)[number]

/** The part of the configuration that declarations may ask about. */
export type Settings = { readonly currency: string; readonly signUp: 'open' | 'approval' | 'closed' }

export type Rule<K extends string = string> =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'user' }
  | { readonly kind: 'role'; readonly role: Role }
  | { readonly kind: 'owner'; readonly field: K }
  | { readonly kind: 'where'; readonly values: Readonly<Partial<Record<K, string | number | boolean>>> }
  | { readonly kind: 'through'; readonly field: K; readonly rule: Rule }
  | {
      readonly kind: 'either'
      readonly rules: readonly Rule<K>[]
      readonly otherwise: string | undefined
      readonly open: boolean
    }
  | { readonly kind: 'machine'; readonly rule: Rule<K> }
  | {
      readonly kind: 'setting'
      readonly when: (settings: Settings) => boolean
      readonly rule: Rule<K>
      readonly otherwise: Rule<K>
    }

/** Everybody, with or without a credential. */
export const anyone: Rule<never> = { kind: 'anyone' }

/** Any authenticated user. */
export const user: Rule<never> = { kind: 'user' }

/** Users of this role or a higher one. */
export function role(required: Role): Rule<never> {
  return { kind: 'role', role: required }
}

/** The user whose id the field holds: `owner('authorId')`. As a read rule it becomes a filter. */
export function owner<K extends string>(field: K): Rule<K> {
  return { kind: 'owner', field }
}

/** Records with these values, for anybody: `where({ published: true })`. */
export function where<K extends string>(values: Readonly<Record<K, string | number | boolean>>): Rule<K> {
  return { kind: 'where', values: values as Readonly<Partial<Record<K, string | number | boolean>>> }
}

/** Whoever satisfies the rule on the record that this reference names: `through('orderId', owner('userId'))`. */
export function through<K extends string>(field: K, rule: Rule): Rule<K> {
  return { kind: 'through', field, rule }
}

type EitherOptions = {
  /** The sentence of the refusal, in place of `Insufficient permissions`. */
  otherwise?: string
  /** The refusal is 403 even where the caller may not see the record (by default such a record is missing: 404). */
  open?: boolean
}

/** Whoever satisfies one of the rules: `either([owner('authorId'), role('ADMIN')], { otherwise: '…' })`. Two to four of them. */
export function either<A extends string, B extends string, C extends string = never, D extends string = never>(
  rules: readonly [Rule<A>, Rule<B>, Rule<C>?, Rule<D>?],
  options: EitherOptions = {},
): Rule<A | B | C | D> {
  const given = rules.filter((rule) => rule !== undefined) as readonly Rule<A | B | C | D>[]
  return { kind: 'either', rules: given, otherwise: options.otherwise, open: options.open ?? false }
}

/** A machine route: only an API key counts, and its owner must satisfy the rule. */
export function machine<K extends string>(rule: Rule<K>): Rule<K> {
  return { kind: 'machine', rule }
}

/** One rule or another, by the configuration: `onlyWhen((s) => s.signUp !== 'closed', anyone, role('ADMIN'))`. */
export function onlyWhen<K extends string>(
  when: (settings: Settings) => boolean,
  rule: Rule<K>,
  otherwise: Rule<K>,
): Rule<K> {
  return { kind: 'setting', when, rule, otherwise }
}
