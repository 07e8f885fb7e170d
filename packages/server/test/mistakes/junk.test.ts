/**
 * Random values in declarations: the start either refuses them with its own message, or starts. It
 * never fails with an internal error.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { identityTablesOf } from '../../src/accounts/identity-tables.ts'
import { StartError } from '../../src/errors.ts'
import { accounts, anyone, defineResource, id, integerId, text } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { startService } from '../../src/testing/index.ts'
import { resources } from '../application/resources/index.ts'
import { people } from '../application/resources/members.ts'

const junk = [null, 0, -1, 'zzz', '', true, [], ['zzz'], [1], {}, { zzz: 1 }, () => 1, Number.NaN, Symbol('zzz')]

type Holder = Readonly<Record<string, unknown>>
const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null

/**
 * The path of every member, but not of those inside fields and rules, which functions have made.
 */
function* pathsIn(value: Holder, path: readonly string[] = []): Generator<readonly string[]> {
  for (const [name, member] of Object.entries(value)) {
    yield [...path, name]
    const isMade = ['fields', 'access', 'input'].includes(path.at(-1) ?? '') || name === 'access'
    if (isHolder(member) && !(isMade && path.length > 0)) yield* pathsIn(member, [...path, name])
  }
}

function withMember(value: Holder, [name = '', ...rest]: readonly string[], member: unknown): Holder {
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
  copy[name] = rest.length === 0 ? member : withMember(value[name] as Holder, rest, member)
  return copy
}

/** `started`, or what the start was refused with. Throws whatever is no `StartError`. */
function answerTo(list: unknown): string {
  try {
    identityTablesOf(makeCatalog(list as never))
    return 'started'
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
}

/** Those that the application declares itself. */
const own = resources.filter((one) => !people.some(({ name }) => name === one.name) || one.name === 'member')

describe('junk in place of a member', () => {
  for (const resource of own) {
    it(`of ${resource.name} is refused or harmless`, () => {
      for (const path of pathsIn(resource as unknown as Holder)) {
        for (const one of junk) {
          const changed = withMember(resource as unknown as Holder, path, one)
          const list = resources.map((other) => (other === resource ? changed : other))
          assert.doesNotThrow(() => answerTo(list), `${resource.name}.${path.join('.')} = ${String(one)}`)
        }
      }
    })
  }

  it('of what accounts is given is refused or harmless', () => {
    const [users] = resources.filter(({ name }) => name === 'member')
    const part = { name: 'a', path: '/a', fields: { note: text() }, access: { list: anyone }, list: { style: 'page' } }
    const tables = { sessions: part, keys: part, factors: part, linkedAccounts: part, recovery: true, audit: part }
    const said = { roles: ['USER', 'ADMIN'], operator: 'ADMIN', users, ...tables } as Holder
    for (const path of pathsIn(said).filter(([first]) => first !== 'users')) {
      for (const one of junk) {
        const list = accounts(withMember(said, path, one) as never)
        assert.doesNotThrow(() => answerTo(list), `${path.join('.')} = ${String(one)}`)
      }
    }
  })

  it('is refused in place of the list', () => {
    for (const one of junk) if (!Array.isArray(one)) assert.match(answerTo(one), /the resources: must be a list/)
  })
})

describe('a member that there is not', () => {
  for (const resource of own) {
    it(`is refused in ${resource.name}`, () => {
      const changed = { ...resource, zzzz: 1 }
      const list = resources.map((other) => (other === resource ? changed : other))
      assert.match(answerTo(list), new RegExp(`: ${resource.name}: no member "zzzz"; there are name, `))
    })
  }
})

describe('users with counted ids, which no token can name', () => {
  const counted = (...names: readonly string[]) =>
    resources.map((one) =>
      names.includes(one.name) ? { ...one, fields: { ...(one.fields as object), id: integerId() } } : one,
    )
  it('are refused', () => {
    assert.match(answerTo(counted('member')), /: member: field "id": must be id\(\): tokens name /)
  })
  it('are right elsewhere', () => {
    assert.equal(answerTo(counted('loan', 'accessKey')), 'started')
  })
})

describe('a path of the server', () => {
  for (const [path, use] of [
    ['/graphql', 'GraphQL'],
    ['/livez', 'the health check of the process'],
  ] as const) {
    it(`${path} is refused`, async () => {
      const thing = defineResource({
        name: 'thing',
        path,
        atRoot: true,
        fields: { id: id(), name: text() },
        list: { style: 'page' },
        access: { list: anyone },
      })
      const says = `packages/server/test/mistakes/junk.test.ts: thing: path: the engine uses "${path}" for ${use}; choose another`
      await assert.rejects(startService([thing]), {
        name: 'StartError',
        message: `The declarations have mistakes:\n  ${says}`,
      })
    })
  }
})
