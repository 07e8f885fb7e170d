/**
 * Links (`manyToMany`) in the type of a record. Their items are ids or records; children are always
 * records. Types alone.
 */

type Id = string | number

/** A linked record has the values of its link as `_link`; a link has them beside its id. */
type WithValues<I> = I extends unknown ? ('_link' extends keyof I ? I : never) : never
type Beside<I> = I extends unknown ? ('_link' extends keyof I ? never : I) : never

type RecordIn<I> = 0 extends 1 & I
  ? never
  : [Extract<I, Id>] extends [never]
    ? [Beside<I>] extends [never]
      ? never
      : WithValues<I>
    : Extract<I, object>

/** The record behind links of this type; never for any other type. */
export type LinkedRecord<V> = V extends readonly (infer I)[] ? RecordIn<I> : never

/** A link without its record: an id, or an object of an id and values. */
export type BareLink<V> = V extends readonly (infer I)[]
  ? [Extract<I, Id>] extends [never]
    ? Beside<I>
    : Extract<I, Id>
  : never

type IdOf<I> = I extends Id ? I : I extends { id: infer D } ? D : never
/** The id of the record behind a link. */
export type LinkedId<V> = IdOf<BareLink<V>>

/** The fields of a record that are links. */
export type LinkName<T> = {
  [K in keyof T & string]: [LinkedRecord<NonNullable<T[K]>>] extends [never] ? never : K
}[keyof T & string]
