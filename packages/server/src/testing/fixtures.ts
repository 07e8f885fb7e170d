/** Records that a test starts from, made as they stand: no rule is asked, and what is not given is made up. */
import type { Engine } from '../perform/engine.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { serviceAuthor } from '../storage/changes.ts'
import { type Represented, representRecord } from '../value/represent.ts'
import { insertFresh, type Sampler } from './fresh-records.ts'
import { password } from './people.ts'

export type Fixtures = {
  /**
   * Stores a record of this resource and returns it with all its stored fields, secrets aside. `given` has values as an answer shows them;
   * required fields that are not in it get one, and so do references, whose records are made too. Throws an `Error` that names what is wrong.
   */
  make(
    resource: string,
    given?: Readonly<Record<string, unknown>>,
    options?: { readonly owner?: { id: string } },
  ): Promise<Represented>
}

function storedValues({ name: owner, fields }: Resource, given: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const field = fields[name]
      if (!field || field.virtual) throw new Error(`${owner} stores no field ${name}`)
      return [name, value === null ? null : field.type.check(value, name, field)]
    }),
  )
}

export function makeFixtures(engine: Engine): Fixtures {
  const { catalog, records, identity } = engine
  let making: Promise<Sampler> | undefined

  /** Everybody who is made has the same password, so it is hashed once. */
  async function makeSampler(): Promise<Sampler> {
    const passwordHash = catalog.login ? await identity.hashPassword(password) : ''
    const sampler: Sampler = { engine, passwordHash, serial: 0, otherParty: '' }
    const { login } = catalog
    if (login) {
      const person = { resource: login.resource, ownerId: '' }
      const row = await records.transaction(serviceAuthor, (writing) => insertFresh(sampler, writing, person))
      sampler.otherParty = String(row[login.resource.idField])
    }
    return sampler
  }

  return {
    async make(name, given = {}, { owner } = {}) {
      making ??= makeSampler()
      const sampler = await making
      const resource = catalog.get(name)
      const record = { resource, ownerId: owner?.id ?? sampler.otherParty, given: storedValues(resource, given) }
      const row = await records.transaction(serviceAuthor, (writing) => insertFresh(sampler, writing, record))
      const shown = resource.storedNames.filter((one) => !(resource.fields[one] as Field).type.secret)
      return representRecord(resource, shown, row)
    },
  }
}
