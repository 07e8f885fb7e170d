/**
 * Names from declarations that every JavaScript object has (`constructor`, `toString`): they are
 * never taken for a declared name.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartError } from '../../src/errors.ts'
import { anyone, boolean, defineAction, defineResource, id, reference, state, text, user } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'

/** Bypasses the compiler, which would refuse most of these. */
function declare(declaration: object): DeclaredResource {
  return defineResource({
    name: 'crate',
    path: '/crates',
    fields: { id: id() },
    list: { style: 'page' },
    access: { list: anyone, get: anyone },
    ...declaration,
  } as never)
}

function mistakesOf(...declarations: readonly DeclaredResource[]): string[] {
  try {
    makeCatalog(declarations)
  } catch (error) {
    assert.ok(error instanceof StartError, String(error))
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim().replace(/^[^:]*: /, ''))
  }
  return []
}

const taken = 'every object has a member of this name already'
const malformed = 'a name is camelCase letters and digits'
const run = async () => undefined

for (const name of ['toString', 'valueOf', 'hasOwnProperty', 'constructor'])
  test(`${name} is no name of a field, an action, an input, a move or a child`, () => {
    assert.deepEqual(mistakesOf(declare({ fields: { id: id(), [name]: text() } })), [
      `crate: field "${name}": ${taken}`,
    ])
    assert.deepEqual(mistakesOf(declare({ actions: { [name]: defineAction({ run }) } })), [
      `crate: actions.${name}: ${taken}`,
    ])
    const input = { [name]: boolean() }
    assert.deepEqual(
      mistakesOf(declare({ actions: { open: defineAction({ input, run }) }, access: { list: anyone, open: user } })),
      [`crate: actions.open.input.${name}: ${taken}`],
    )
    const moves = { [name]: { from: ['SHUT'], to: 'OPEN' } } as never
    assert.deepEqual(
      mistakesOf(
        declare({ fields: { id: id(), state: state(['SHUT', 'OPEN'], { default: 'SHUT', transitions: moves }) } }),
      ),
      [`crate: field "state": transition "${name}": ${taken}`],
    )
    const lid = declare({ name: 'lid', path: '/lids', fields: { id: id(), crateId: reference('crate') } })
    assert.deepEqual(mistakesOf(declare({ children: { [name]: { resource: 'lid', by: 'crateId' } } }), lid), [
      `crate: children.${name}: ${taken}`,
    ])
  })

test('an input has a name that documents and clients can write', () => {
  const actions = { open: defineAction({ input: { 'how-far': boolean(), why: text() }, run }) }
  assert.deepEqual(mistakesOf(declare({ actions, access: { list: anyone, open: user } })), [
    `crate: actions.open.input.how-far: ${malformed}`,
  ])
})
