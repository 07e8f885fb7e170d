/**
 * Permissions and admissions at run time: only `policy/` can create them, and none can be widened.
 */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { anyone, defineResource, id, owner, reference, role, text, user } from '../../src/index.ts'
import type { CreateOperation, DeleteOperation, GetOperation, Operation } from '../../src/operation/operation.ts'
import type { Engine } from '../../src/perform/engine.ts'
import { perform } from '../../src/perform/perform.ts'
import { makePolicy, type Permitted } from '../../src/policy/policy.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always, equal } from '../../src/resource/condition.ts'
import { anonymous, type Principal } from '../../src/resource/principal.ts'
import type { Storage } from '../../src/storage/storage.ts'

const sheets = defineResource({
  name: 'sheet',
  path: '/sheets',
  fields: { id: id(), title: text() },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, delete: role('ADMIN') },
})
const covers = defineResource({
  name: 'cover',
  path: '/covers',
  fields: { id: id(), ownerId: text(), sheetId: reference('sheet') },
  access: { get: owner('ownerId') },
})
const leaves = defineResource({
  name: 'leaf',
  plural: 'leaves',
  path: '/leaves',
  fields: { id: id(), coverId: reference('cover') },
  access: { create: user },
})

const settings = { currency: 'EUR', signUp: 'open' } as const
const catalog = makeCatalog([sheets, covers, leaves])
const [sheet, cover, leaf] = [catalog.get('sheet'), catalog.get('cover'), catalog.get('leaf')]
const someone: Principal = { kind: 'user', userId: 'somebody', role: 'USER', via: 'token', scopes: null }
const policy = makePolicy(catalog, settings)

/** Whether the storage was called: an operation that is refused never gets that far. */
let reached: boolean
const storage = new Proxy({} as Storage, {
  get() {
    reached = true
    throw new Error('the storage was reached')
  },
})
const engine = { catalog, settings, policy, storage } as unknown as Engine

const get: GetOperation = {
  kind: 'get',
  resource: sheet,
  under: undefined,
  select: null,
  id: '01926e0f-0000-7000-8000-000000000001',
}
const remove: DeleteOperation = { ...get, kind: 'delete', ifVersion: undefined, shows: false }

function permittedGet(): Permitted<GetOperation> {
  return policy.permit(policy.admit(anonymous, { resource: sheet, operation: 'get' }), get)
}

async function ask(make: () => unknown): Promise<unknown> {
  try {
    return await perform(engine, make() as Permitted)
  } catch (error) {
    return error
  }
}

describe('what is performed was permitted', () => {
  beforeEach(() => {
    reached = false
  })

  const forgeries: Record<string, (permitted: Permitted) => unknown> = {
    'a spread with another operation': (permitted) => ({ ...permitted, operation: remove }),
    'a spread as it is': (permitted) => ({ ...permitted }),
    'a copy with the same prototype': (permitted) =>
      Object.assign(Object.create(Object.getPrototypeOf(permitted)), permitted, { operation: remove }),
    'an heir': (permitted) => Object.create(permitted, { operation: { value: remove } }),
    'what its maker makes': (permitted) =>
      Reflect.construct(permitted.constructor, [{ ...permitted, operation: remove }]),
    'an admission': () => Object.assign({}, policy.admit(anonymous, { resource: sheet, operation: 'get' }), get),
    nothing: () => undefined,
  }
  for (const [name, forge] of Object.entries(forgeries)) {
    it(`refuses ${name}`, async () => {
      const error = await ask(() => forge(permittedGet()))
      assert.ok(error instanceof Error)
      assert.equal(reached, false)
    })
  }

  it('performs what policy permitted', async () => {
    const error = await ask(permittedGet)
    assert.equal((error as Error).message, 'the storage was reached')
  })

  it('lets nobody write into a permission, or into the operation that it is for', () => {
    const permitted = permittedGet()
    assert.throws(() => Object.assign(permitted, { operation: remove }), TypeError)
    assert.throws(() => Object.assign(permitted, { write: always }), TypeError)
    assert.throws(() => Object.assign(permitted.operation, { kind: 'delete' }), TypeError)
  })
})

describe('narrowing', () => {
  const admission = policy.admit(someone, { resource: leaf, operation: 'create', nested: true })
  const create: CreateOperation = {
    kind: 'create',
    resource: leaf,
    under: {
      steps: [
        { resource: sheet, id: '1' },
        { resource: cover, by: 'sheetId' },
      ],
      by: 'coverId',
    },
    select: null,
    body: { values: new Map(), fixed: new Map() },
  }

  it('gives the single record above, by the rule of its own resource', () => {
    const { operation, read, write, steps } = policy.narrow(policy.permit(admission, create), 1)
    assert.deepEqual(operation, {
      kind: 'get',
      resource: cover,
      id: undefined,
      under: { steps: [{ resource: sheet, id: '1' }], by: 'sheetId' },
      select: null,
    })
    assert.deepEqual([read, write], [equal('ownerId', 'somebody'), always])
    assert.deepEqual(steps, [always])
  })

  it('gives nothing else, and nothing for what was not permitted', () => {
    const permitted = policy.permit(admission, create)
    for (const at of [0, 2, -1]) assert.throws(() => policy.narrow(permitted, at), /no single record/)
    assert.throws(() => policy.narrow({ ...permitted } as never, 1), /permitted/)
  })
})

describe('what is permitted was admitted', () => {
  const admission = () => policy.admit(anonymous, { resource: sheet, operation: 'get' })

  it('refuses an admission that it did not make', () => {
    const forged = { ...admission(), where: always }
    assert.throws(() => policy.permit(forged as never, get), /admitted/)
    assert.throws(() => Object.assign(admission(), { where: always }), TypeError)
  })

  const others: Record<string, Operation> = {
    'another operation': remove,
    'the operation of another resource': { ...get, resource: cover },
    'an action of its name': { ...remove, kind: 'act', action: 'delete', input: {} },
    'the same below a record': { ...get, under: { steps: [{ resource: sheet, id: 'a' }], by: 'id' } },
  }
  for (const [name, operation] of Object.entries(others)) {
    it(`does not permit ${name}`, () => {
      assert.throws(() => policy.permit(admission(), operation), /admitted/)
    })
  }
})
