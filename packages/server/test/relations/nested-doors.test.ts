/**
 * Children in bodies by every other door: GraphQL, batches, upserts, MCP and documents. Imports,
 * and writes by a filter refuse them. Mistakes of their declarations.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { anyone, defineResource, id, reference, text } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { startWorld } from './nested-world.ts'

const { service, ann, ask, made, stored } = await startWorld()
after(() => service.stop())

async function query(text: string, variables: object) {
  const answer = await service.ask('POST', '/graphql', { token: ann.token, body: { query: text, variables } })
  // biome-ignore lint/suspicious/noExplicitAny: answers of several forms
  return answer.body as any
}
const line = (name: string, more: object = {}) => ({ name, amount: 5, ...more })

describe('GraphQL', () => {
  it('creates and changes children', async () => {
    const create =
      'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id total lines { id name pieces { label } } } }'
    const input = { title: 'G', lines: { create: [line('Alpha', { pieces: { create: [{ label: 'x' }] } })] } }
    const answer = await query(create, { input })
    assert.equal(answer.errors, undefined, JSON.stringify(answer.errors))
    const { id, total, lines } = answer.data.createInvoice
    assert.equal(total, 5)
    assert.deepEqual(lines[0].pieces, [{ label: 'x' }])
    const update =
      'mutation ($id: ID!, $input: UpdateInvoiceInput!) { updateInvoice(id: $id, input: $input) { total lineCount } }'
    const changes = { update: [{ id: lines[0].id, amountIncrement: 2 }], create: [line('Beta')] }
    const changed = await query(update, { id, input: { lines: changes } })
    assert.deepEqual(changed.data?.updateInvoice, { total: 12, lineCount: 2 }, JSON.stringify(changed))
    const refused = await query(update, { id, input: { lines: { create: [line('x'), line('refused')] } } })
    assert.equal(refused.errors[0].message, 'lines.create[1]: A hook refuses this name')
  })
})

describe('other writes', () => {
  it('a batch names the operation and the child', async () => {
    const operations = [
      { id: 'a', method: 'POST', path: '/invoices', body: { title: 'In a batch', lines: [line('a')] } },
      { method: 'PATCH', path: '/invoices/{a}', body: { lines: { create: [{ name: 'b' }] } } },
    ]
    const before = await stored()
    const headers = { accept: 'application/problem+json' }
    const refused = await ask('POST', '/batch', { body: { operations }, headers })
    assert.equal(refused.body.detail, 'operations[1]: lines.create[0]: amount is required; nothing was stored')
    assert.equal(refused.body.errors[0].pointer, '#/operations/1/body/lines/create/0/amount')
    assert.deepEqual(await stored(), before)
    const done = await ask('POST', '/batch', { body: { operations: operations.slice(0, 1) } })
    assert.deepEqual([done.status, done.body.data[0].body.total], [200, 5])
  })

  it('an upsert takes what both of its writes take', async () => {
    const put = (lines: unknown) => ask('PUT', '/invoices?on=code', { body: { title: 'U', code: 'N1', lines } })
    const [first, second] = [await put({ create: [line('a')] }), await put({ create: [line('b')] })]
    assert.deepEqual([first.status, second.status, second.body.lineCount], [201, 200, 2])
    assert.equal((await put([line('c')])).status, 400)
  })

  it('imports and writes by a filter refuse children, and an explanation explains them', async () => {
    const { id } = await made({ title: 'Doors', lines: [line('a')] })
    const sentence = 'lines cannot be written here: leave it out, and write its records by themselves'
    const imported = await service.ask('POST', '/api/v1/invoices/import', {
      token: ann.token,
      raw: JSON.stringify({ title: 'Imported', lines: [line('a')] }),
      type: 'application/x-ndjson',
    })
    assert.deepEqual((imported.body as { errors: unknown }).errors, [{ line: 1, error: sentence }])
    const lines = { create: [line('b')] }
    const many = await ask('PATCH', '/invoices?title=Doors&limit=5', { body: { lines } })
    assert.deepEqual([many.status, many.body.error], [400, sentence])
    const why = await ask('PATCH', `/invoices/${id}?_explain=access`, { body: { lines } })
    assert.deepEqual(
      why.body.data.children.map((one: { at: string; allowed: boolean }) => [one.at, one.allowed]),
      [['lines.create[0]', true]],
    )
  })
})

describe('documents', () => {
  it('OpenAPI has the children of bodies, and expand of writes', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document
    const document = (await service.ask('GET', '/openapi.json', {})).body as any
    const { InvoiceCreate, InvoiceUpdate, LineCreate } = document.components.schemas
    const [list] = InvoiceCreate.properties.lines.anyOf
    assert.equal(list.items.required.includes('invoiceId'), false)
    assert.ok(list.items.required.includes('name'))
    assert.ok('pieces' in list.items.properties && 'pieces' in LineCreate.properties)
    const shared = InvoiceUpdate.properties.lines.$ref?.split('/').at(-1)
    const changes = shared ? document.components.schemas[shared] : InvoiceUpdate.properties.lines
    assert.deepEqual(Object.keys(changes.properties).toSorted(), ['create', 'delete', 'update'])
    const parameters = JSON.stringify(document.paths['/api/v1/invoices'].post.parameters)
    assert.match(parameters, /expand_/)
  })

  it('the description of the resource names them', async () => {
    const { body } = await ask('GET', '/_resources/invoices')
    const found = body.children.map((one: { name: string; inBody?: true }) => [one.name, one.inBody])
    assert.deepEqual(
      found.filter(([, inBody]: [string, true?]) => inBody),
      [
        ['lines', true],
        ['notes', true],
      ],
    )
  })
})

describe('mistakes of declarations', () => {
  const open = { read: anyone, write: anyone } as const
  const child = (name: string, above: string, more: object = {}) =>
    defineResource({
      name,
      path: `/${name}s`,
      fields: { id: id(), aboveId: reference(above, { onDelete: 'delete' }), label: text() },
      list: { style: 'page' },
      access: open,
      ...more,
    } as never)
  const below = (resource: string) => ({ children: { parts: { resource, by: 'aboveId', inBody: true } } })
  const top = (more: object) =>
    defineResource({
      name: 'top',
      path: '/tops',
      fields: { id: id(), label: text() },
      list: { style: 'page' },
      access: open,
      ...more,
    } as never)
  const mistake = (...all: readonly object[]): string => {
    try {
      makeCatalog(all as never)
      return 'none'
    } catch (error) {
      return (error as Error).message
    }
  }

  it('are told at start', () => {
    assert.equal(mistake(top(below('bit')), child('bit', 'top')), 'none')
    assert.match(
      mistake(top(below('bit')), child('bit', 'top', { access: { read: anyone } })),
      /children\.parts: inBody needs a rule for create, update or delete under access of "bit"/,
    )
    assert.match(
      mistake(top({ ...below('bit'), access: { read: anyone } }), child('bit', 'top')),
      /inBody needs a rule for create, replace or update under access of "top"/,
    )
    assert.match(
      mistake(top({ ...below('bit'), fields: { id: id(), parts: text() } }), child('bit', 'top')),
      /inBody needs a name that no field has/,
    )
    assert.match(
      mistake(top(below('bit')), child('bit', 'top', { concurrency: 'required' })),
      /"bit" has concurrency: 'required', and a body of its parent names no version of it/,
    )
    const one = { children: { part: { resource: 'bit', by: 'aboveId', single: true, inBody: true } } }
    assert.match(
      mistake(top(one), child('bit', 'top', { unique: [['aboveId']] })),
      /inBody is for children that are many/,
    )
    assert.match(
      mistake(
        top(below('bit')),
        child('bit', 'top', below('bot')),
        child('bot', 'bit', below('but')),
        child('but', 'bot'),
      ),
      /inBody nests top in bit in bot in but, and a body has 3 levels at most/,
    )
    assert.match(mistake(child('self', 'self', below('self'))), /inBody nests self in self in self in self/)
  })
})
