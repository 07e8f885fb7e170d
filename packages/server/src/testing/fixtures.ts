/**
 * Creates records for a test directly in the database: no access rule applies, and missing values
 * are generated.
 */

import { hashSecrets } from '../accounts/passwords/secrets-of-records.ts'
import type { ServedEngine } from '../accounts/served-engine.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { takesValues } from '../resource/fields/field-facts.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Row } from '../storage/storage.ts'
import { type Represented, representRecord } from '../value/represent.ts'
import { insertFresh, needsPerson, type SampleRecord, type Sampler, type SampleValues } from './fresh-records.ts'

export type Fixtures = {
  /**
   * Stores a record of this resource and returns all of its stored fields without secrets. `given`:
   * values in the form of a response, and passwords in plain text. Required fields that it lacks
   * are generated. So are the records that it requires: those of required references, its parent,
   * its owner. Throws an `Error` that names what is wrong.
   */
  make(
    resource: string,
    given?: Readonly<Record<string, unknown>>,
    options?: { readonly owner?: { id: string } },
  ): Promise<Represented>
}

/**
 * Converts values of a response to stored values, without passwords. Throws an `Error` that names
 * what is wrong.
 */
export function storedValues(
  { name: owner, fields }: Resource,
  given: Readonly<Record<string, unknown>>,
): SampleValues {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const field = fields[name]
      if (!field || !takesValues(field)) throw new Error(`${owner} stores no field ${name}`)
      return [name, value === null ? null : field.type.check(value, name, field)]
    }),
  )
}

/** Stores the record in a transaction of its own. */
export function storeFresh(sampler: Sampler, record: SampleRecord): Promise<Row> {
  return sampler.engine.records.transaction(serviceAuthor, (tx) => insertFresh(sampler, tx, record))
}

export function makeFixtures(engine: ServedEngine, sampling: () => Promise<Sampler>): Fixtures {
  const { catalog } = engine
  let meeting: Promise<void> | undefined

  /** Creates the person of required references, on the first use. */
  async function meetPerson(sampler: Sampler): Promise<void> {
    if (!catalog.login) return
    const { resource } = catalog.login
    sampler.otherParty = String((await storeFresh(sampler, { resource, ownerId: '' }))[resource.idField])
  }

  return {
    async make(name, given = {}, { owner } = {}) {
      const sampler = await sampling()
      const resource = catalog.resources.get(name)
      if (!resource)
        throw new Error(`No resource ${name} to make; there are ${[...catalog.resources.keys()].join(', ')}`)
      const values = storedValues(resource, given)
      await hashSecrets(engine.identity, { resource, values })
      const record = { resource, ownerId: owner?.id ?? '', given: values }
      if (needsPerson(sampler, record)) {
        meeting ??= meetPerson(sampler)
        await meeting
      }
      const row = await storeFresh(sampler, { ...record, ownerId: owner?.id ?? sampler.otherParty })
      const shown = resource.storedNames.filter((one) => !(resource.fields[one] as Field).type.secret)
      return representRecord(resource, shown, row)
    },
  }
}
