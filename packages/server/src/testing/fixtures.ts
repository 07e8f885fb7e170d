/**
 * Records that a test starts from, made as they stand: no rule is asked, and what is not given is
 * made up.
 */

import { hashSecrets } from '../accounts/passwords/secrets-of-records.ts'
import type { ServedEngine } from '../accounts/served-engine.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Row } from '../storage/storage.ts'
import { type Represented, representRecord } from '../value/represent.ts'
import { insertFresh, needsPerson, type SampleRecord, type Sampler, type SampleValues } from './fresh-records.ts'

export type Fixtures = {
  /**
   * Stores a record of this resource and returns it with all its stored fields, secrets aside.
   * `given` has values as an answer shows them, and passwords in plain text. Required fields that
   * are not in it get a value. The records that it cannot be without are made too: those that
   * required references name, its parent, its owner. Nothing else is. Throws an `Error` that names
   * what is wrong.
   */
  make(
    resource: string,
    given?: Readonly<Record<string, unknown>>,
    options?: { readonly owner?: { id: string } },
  ): Promise<Represented>
}

/**
 * Values as an answer shows them → as they are stored, but for passwords. Throws an `Error` that
 * names what is wrong.
 */
export function storedValues(
  { name: owner, fields }: Resource,
  given: Readonly<Record<string, unknown>>,
): SampleValues {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const field = fields[name]
      if (!field || field.virtual) throw new Error(`${owner} stores no field ${name}`)
      return [name, value === null ? null : field.type.check(value, name, field)]
    }),
  )
}

/** In a transaction of its own. */
export function storeFresh(sampler: Sampler, record: SampleRecord): Promise<Row> {
  return sampler.engine.records.transaction(serviceAuthor, (tx) => insertFresh(sampler, tx, record))
}

export function makeFixtures(engine: ServedEngine, sampling: () => Promise<Sampler>): Fixtures {
  const { catalog } = engine
  let meeting: Promise<void> | undefined

  /** The person whom records refer to that must refer to one; made when the first of them is. */
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
