/** A new record that has passed every check and only has to be stored. */
import type { Resource } from '../resource/catalog.ts'
import type { Place } from '../resource/fields/places/place-change.ts'
import type { Values } from '../storage/storage.ts'
import type { LinkChanges } from './links/part-links.ts'

type BesideValues = Pick<PreparedRecord, 'made' | 'links' | 'place'>

/** A new record, complete and checked. Only `prepare` makes one. */
export class PreparedRecord {
  readonly #checked = true
  readonly resource: Resource
  readonly values: Values
  /** The fields whose slugs the engine has made: one that is taken gets a number. */
  readonly made: readonly string[]
  /** The links that are stored with it. */
  readonly links: LinkChanges
  /** Its place in a manual order; undefined for the last one. */
  readonly place: Place | undefined

  constructor(resource: Resource, values: Values, { made, links, place }: BesideValues) {
    this.made = made
    this.resource = resource
    this.values = values
    this.links = links
    this.place = place
  }

  /** Whether the object was made by this class. */
  static is(record: object): boolean {
    return #checked in record && record.#checked
  }
}
