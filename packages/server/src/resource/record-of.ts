/**
 * Types that follow from the fields of a resource: names by kind, records as actions see them, new
 * records, ids.
 */
import type { Scalar } from './condition.ts'
import type { Fields } from './fields/field.ts'
import type { FieldTraits } from './fields/field-traits.ts'
import type { GivenFile, GivenFiles } from './fields/files/stored-file.ts'
import type { GivenLinks } from './fields/link-change.ts'

export type FieldName<F> = Extract<keyof F, string>

export type TraitsOf<X> = X extends { readonly _traits?: infer T } ? NonNullable<T> : never
type KindOf<X> = TraitsOf<X> extends { readonly kind: infer K } ? K : never
type StoredValue<X> = X extends { readonly _value?: infer V } ? Exclude<V, undefined> : never
type NameOfKind<F, K extends FieldTraits['kind']> = {
  [N in FieldName<F>]: KindOf<F[N]> extends K ? N : string extends N ? N : never
}[FieldName<F>]

export type StoredName<F> = NameOfKind<F, Exclude<FieldTraits['kind'], 'virtual' | 'links'>>
/** Stored, and shown to some caller: lists may depend on these. */
export type ListedName<F> = NameOfKind<F, Exclude<FieldTraits['kind'], 'virtual' | 'links' | 'secret'>>
type OpenName<F> = NameOfKind<F, Exclude<FieldTraits['kind'], 'virtual' | 'links' | 'secret' | 'id'>>
/** Those that filters take: links too. */
export type FilteredName<F> = NameOfKind<F, Exclude<FieldTraits['kind'], 'virtual' | 'secret'>>
type LinksName<F> = NameOfKind<F, 'links'>
/** Stored, and set by code: neither ids nor secrets, nor the times that the engine sets. */
export type SetName<F> = {
  [N in OpenName<F>]: TraitsOf<F[N]> extends { readonly timed: true } ? never : N
}[OpenName<F>]
export type TextName<F> = NameOfKind<F, 'text'>
export type NumberName<F> = NameOfKind<F, 'number'>

/**
 * A record as actions see it: stored values by field name, money in minor units, nullable where the
 * field is.
 */
export type RecordOf<F> = { readonly [N in StoredName<F>]: StoredValue<F[N]> }

/** Code names a file by its id, too. */
type GivenValue<X> = KindOf<X> extends 'file' ? GivenFile : KindOf<X> extends 'files' ? GivenFiles : never

/** The values that code may give a record. */
export type GivenOf<F> = {
  readonly [N in StoredName<F>]: StoredValue<F[N]> | (string extends N ? never : GivenValue<F[N]>)
}

/** A record as derived fields read it: its stored values, and those of its virtual fields. */
export type ReadRecordOf<F> = {
  readonly [N in NameOfKind<F, Exclude<FieldTraits['kind'], 'links'>>]: StoredValue<F[N]>
}

/** The names of values that must be given: never null, and without a default. */
type RequiredName<F> = {
  [N in StoredName<F>]: string extends N
    ? never
    : null extends StoredValue<F[N]>
      ? never
      : TraitsOf<F[N]> extends { readonly filled: true }
        ? never
        : N
}[StoredName<F>]

/** The links that code may give a record. */
export type LinksOf<F> = { readonly [N in LinksName<F> as string extends N ? never : N]?: GivenLinks }

/** The values of a new record. */
export type NewRecord<F> = LinksOf<F> & Partial<GivenOf<F>> & Pick<GivenOf<F>, RequiredName<F>>

export type IdName<F> = NameOfKind<F, 'id'>
/** The id of a record: a text or a number. */
export type IdOf<F> = [IdName<F>] extends [never] ? string | number : StoredValue<F[IdName<F>]>

/** Values that records are found by. */
export type WhereOf<F> = { readonly [N in ListedName<F>]?: Extract<StoredValue<F[N]>, Scalar> }

export type TransitionName<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly transitions?: Readonly<Record<infer M, unknown>> }
    ? string extends M
      ? never
      : M
    : never
}[keyof F]
