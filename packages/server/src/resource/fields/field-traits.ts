/** The knowledge that the compiler has of a field, besides the type of its value. */

/** The types of a field besides the type of its value. Each name is a literal. */
export type FieldTraits = {
  readonly kind: 'stored' | 'text' | 'boolean' | 'number' | 'id' | 'secret' | 'virtual' | 'links' | 'file' | 'files'
  /** The engine fills it where a new record has no value for it. */
  readonly filled?: boolean
  /** The engine sets it when a record is made, or at each write. */
  readonly timed?: boolean
  /** The resource that it refers to. */
  readonly refers?: string
  /** The fields that both records share. */
  readonly matches?: string
  /** `productId.price`: a field of the record that a reference names. */
  readonly via?: string
  /** `orderItem.orderId`: a field of the records that are embedded. */
  readonly embeds?: string
  /** The roles that its rules name. */
  readonly roles?: string
  /** The role that it has by default. */
  readonly named?: string
  /** The fields that its rules mention, of this record and of others. */
  readonly mentions?: string
}
