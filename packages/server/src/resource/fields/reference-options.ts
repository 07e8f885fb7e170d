/** The options of a reference, in the form that all rooms read. */

export type ReferenceOptions = {
  /**
   * The consequence for this record when the one it names is deleted. The server deletes this one
   * too, clears the field, or deletes some and clears the rest. `keep`: the id stays, although its
   * record has gone. `refuse`: the named record cannot be deleted while this one names it.
   */
  readonly onDelete:
    | 'delete'
    | 'clear'
    | 'keep'
    | 'refuse'
    | { readonly deleteWhere: Readonly<Record<string, string | number | boolean>> }
  /**
   * Every write to this record also touches the record that it names (its version and updatedAt).
   */
  readonly touch: boolean
  /** Fields that this record has in common with the record that it names. */
  readonly match: readonly string[]
  /** No two records name the same one: that one has one of these records, or none. */
  readonly one?: true
  /** Records that refer to others of their own resource make a tree of so many levels. */
  readonly tree?: { readonly depth: number }
}
