/**
 * Bodies with children (`inBody`): a record and its children in one request, all or nothing, each
 * judged by its own rules.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startWorld } from './nested-world.ts'

const { service, boss, eve, ask, made, stored } = await startWorld()
after(() => service.stop())

const line = (name: string, more: object = {}) => ({ name, amount: 5, ...more })
type Line = { id: string; name: string; slug: string; amount: number; number: number; pieces?: { label: string }[] }
const byName = (all: Line[], name: string) => all.find((one) => one.name === name) as Line
const namesOf = (all: Line[]) => all.map(({ name }) => name).toSorted()

describe('a create', () => {
  it('stores the record, its children and theirs, and shows them with expand', async () => {
    const invoice = await made({
      title: 'Three levels',
      lines: [line('Alpha', { amount: 7, pieces: [{ label: 'x' }, { label: 'y' }] }), line('Beta')],
    })
    assert.equal(invoice.lineCount, 2)
    assert.equal(invoice.total, 12)
    assert.deepEqual(namesOf(invoice.lines), ['Alpha', 'Beta'])
    const alpha = byName(invoice.lines, 'Alpha')
    assert.deepEqual(alpha.pieces?.map(({ label }) => label).toSorted(), ['x', 'y'])
    assert.deepEqual([alpha.slug, (alpha as unknown as { twice: number }).twice], ['alpha', 14])
    const got = await ask('GET', `/invoices/${invoice.id}`)
    assert.equal(got.body.total, 12)
    assert.equal((await ask('GET', `/lines/${alpha.id}/history`)).body.data.length >= 1, true)
  })

  it('takes an object of verbs too, and answers with the record alone without expand', async () => {
    const answer = await ask('POST', '/invoices', { body: { title: 'Verbs', lines: { create: [line('One')] } } })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.equal(answer.body.lineCount, 1)
    assert.equal('lines' in answer.body, false)
    assert.equal(answer.headers.get('etag'), (await ask('GET', `/invoices/${answer.body.id}`)).headers.get('etag'))
  })

  it('refuses the whole request where the caller may not create a child', async () => {
    const before = await stored()
    const body = { title: 'With a note', notes: [{ text: 'n' }] }
    const refused = await ask('POST', '/invoices', { body })
    assert.deepEqual([refused.status, refused.body], [403, { error: 'notes[0]: Insufficient permissions' }])
    assert.deepEqual(await stored(), before)
    const allowed = await made(body, boss)
    assert.equal(allowed.notes[0].text, 'n')
  })
})

describe('mistakes', () => {
  const refuse = async (body: object) => {
    const before = await stored()
    const headers = { accept: 'application/problem+json' }
    const answer = await ask('POST', '/invoices', { body, headers })
    assert.deepEqual(await stored(), before)
    const { detail, errors = [] } = answer.body
    return [answer.status, detail, ...errors.map((one: { pointer: string }) => one.pointer)]
  }

  it('have the place of the child', async () => {
    const cases: [object, unknown[]][] = [
      [{ title: 'a', lines: 3 }, [400, 'lines must be a list of new records', '#/lines']],
      [{ title: 'a', lines: [3] }, [400, 'lines[0] must be an object', '#/lines/0']],
      [{ title: 'a', lines: { update: [] } }, [400, 'lines takes create here, not update', '#/lines']],
      [
        { title: 'a', lines: [line('a'), line('b', { amount: -1 })] },
        [400, 'lines[1]: amount must be from 0 to 1000', '#/lines/1/amount'],
      ],
      [
        { title: 'a', lines: { create: [line('a'), { name: 'b' }, line('c', { odd: 1 })] } },
        [400, 'lines.create[1]: amount is required', '#/lines/create/1/amount', '#/lines/create/2/odd'],
      ],
      [
        { title: 'a', lines: [line('a', { pieces: [{ label: 'x' }, { label: 'too long' }] })] },
        [400, 'lines[0].pieces[1]: label must be at most 5 characters', '#/lines/0/pieces/1/label'],
      ],
      [{ title: 'a', lines: [line('a', { discount: 3 })] }, [403, 'lines[0]: Insufficient permissions']],
      [
        { title: 'a', lines: [line('a', { least: 9 })] },
        [400, 'lines[0]: The amount is below the least', '#/lines/0/amount'],
      ],
      [{ title: 'a', lines: [line('a'), line('refused')] }, [409, 'lines[1]: A hook refuses this name']],
      [
        { title: 'a', lines: [line('a', { place: 1 }), line('b', { place: 1 })] },
        [409, 'lines[1]: invoiceId and place must be unique'],
      ],
      [
        { title: 'a', lines: [line('a', { invoiceId: '01a21881-325a-7000-85bd-000000000000' })] },
        [
          400,
          'lines[0]: invoiceId is set by the path: leave it out, or send the id that the path names',
          '#/lines/0/invoiceId',
        ],
      ],
      [
        { title: 'a', lines: [line('a', { tags: ['01a21881-325a-7000-85bd-000000000000'] })] },
        [400, 'lines[0]: tags refers to no tag that exists', '#/lines/0/tags'],
      ],
    ]
    for (const [body, expected] of cases) assert.deepEqual(await refuse(body), expected, JSON.stringify(body))
  })

  it('more records than a write by a filter may have are refused', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => line(`n${i}`))
    const [status, detail] = await refuse({ title: 'a', lines: many })
    assert.deepEqual([status, detail], [400, 'One body writes at most 1000 records, its children included'])
    const answer = await ask('POST', '/invoices', { body: { title: 'Many', lines: many.slice(0, 999) } })
    assert.deepEqual([answer.status, answer.body.lineCount, answer.body.total], [201, 999, 4995])
  })
})

describe('an update', () => {
  it('creates, updates and deletes children in one request', async () => {
    const before = await made({
      title: 'U',
      lines: [line('Alpha', { place: 1 }), line('Beta'), line('Zero', { amount: 0 })],
    })
    const [alpha, beta, zero] = ['Alpha', 'Beta', 'Zero'].map((name) => byName(before.lines, name))
    const answer = await ask('PATCH', `/invoices/${before.id}?expand=lines.pieces`, {
      body: {
        title: 'Changed',
        lines: {
          create: [line('New', { place: 3 })],
          update: [
            { id: beta?.id, amount: { increment: 4 }, pieces: { create: [{ label: 'p' }] } },
            { id: alpha?.id, name: 'Alpha 2' },
          ],
          delete: [zero?.id],
        },
      },
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { title, lineCount, total, lines } = answer.body
    assert.deepEqual([title, lineCount, total], ['Changed', 3, 19])
    assert.deepEqual(namesOf(lines), ['Alpha 2', 'Beta', 'New'])
    assert.deepEqual(
      byName(lines, 'Beta').pieces?.map(({ label }) => label),
      ['p'],
    )
    assert.equal((await ask('GET', `/lines/${zero?.id}`)).status, 404)
    assert.equal((await ask('GET', '/lines?_trash=only&name=Zero', { as: boss })).status, 200)
  })

  it('a delete makes room for a unique value, and the rule of each child decides', async () => {
    const before = await made({ title: 'R', lines: [line('Alpha', { place: 1, amount: 0 }), line('Beta')] })
    const [alpha, beta] = ['Alpha', 'Beta'].map((name) => byName(before.lines, name).id)
    const path = `/invoices/${before.id}`
    const lines = { delete: [alpha], update: [{ id: beta, place: 1 }] }
    assert.equal((await ask('PATCH', path, { body: { lines } })).status, 200)
    const rows = await stored()
    const refused = await ask('PATCH', path, { body: { title: 'Not', lines: { create: [line('C')], delete: [beta] } } })
    assert.deepEqual([refused.status, refused.body.error], [403, 'lines.delete[0]: Insufficient permissions'])
    assert.deepEqual(await stored(), rows)
  })

  it('knows only the children of its own record', async () => {
    const [one, other] = [
      await made({ title: 'A', lines: [line('a')] }),
      await made({ title: 'B', lines: [line('b')] }),
    ]
    const id = other.lines[0].id
    for (const lines of [{ update: [{ id, name: 'x' }] }, { delete: [id] }, { delete: ['nothing'] }]) {
      const answer = await ask('PATCH', `/invoices/${one.id}`, { body: { lines } })
      const verb = Object.keys(lines)[0]
      assert.deepEqual([answer.status, answer.body.error], [404, `lines.${verb}[0]: Line not found`])
    }
    const twice = await ask('PATCH', `/invoices/${one.id}`, {
      body: { lines: { delete: [one.lines[0].id], update: [{ id: one.lines[0].id }] } },
    })
    assert.deepEqual([twice.status, twice.body.error], [400, `lines names ${one.lines[0].id} twice`])
    const list = await ask('PATCH', `/invoices/${one.id}`, { body: { lines: [line('c')] } })
    assert.match(list.body.error, /^lines must be an object with create, update, delete: a list would not tell/)
  })

  it('needs the right to the record, and its version', async () => {
    const one = await made({ title: 'V', lines: [line('a')] })
    const path = `/invoices/${one.id}`
    const body = { lines: { create: [line('b')] } }
    assert.equal((await ask('PATCH', path, { as: eve, body })).status, 403)
    const etag = (await ask('GET', path)).headers.get('etag') as string
    assert.equal((await ask('PATCH', path, { body, headers: { 'if-match': etag } })).status, 200)
    assert.equal((await ask('PATCH', path, { body, headers: { 'if-match': etag } })).status, 412)
    assert.equal((await ask('GET', path)).body.lineCount, 2)
    const replaced = await ask('PUT', path, { body: { title: 'P', lines: { create: [line('c')] } } })
    assert.deepEqual([replaced.status, replaced.body.title, replaced.body.lineCount], [200, 'P', 3])
  })
})

describe('a failing last child', () => {
  it('leaves nothing', async () => {
    const one = await made({ title: 'Kept', lines: [line('Alpha', { amount: 0 }), line('Beta')] })
    const before = await stored()
    const [alpha, beta] = ['Alpha', 'Beta'].map((name) => byName(one.lines, name).id)
    const lines = {
      delete: [alpha],
      update: [{ id: beta, amount: 900, pieces: { create: [{ label: 'p' }] } }],
      create: [line('Gamma'), line('refused')],
    }
    const answer = await ask('PATCH', `/invoices/${one.id}`, { body: { title: 'Lost', lines } })
    assert.deepEqual([answer.status, answer.body.error], [409, 'lines.create[1]: A hook refuses this name'])
    assert.deepEqual(await stored(), before)
    const next = await made({ title: 'Next', lines: [line('Gamma')] })
    const numbers = (await ask('GET', '/lines?limit=100&sort=-name')).body.data
    assert.equal(byName(next.lines, 'Gamma').slug.startsWith('gamma'), true)
    assert.ok(numbers.length > 0)
  })

  it('a dry run stores nothing and tells the same', async () => {
    const before = await stored()
    const headers = { prefer: 'dry-run' }
    const answer = await ask('POST', '/invoices?expand=lines', { body: { title: 'Dry', lines: [line('d')] }, headers })
    assert.deepEqual([answer.status, answer.body.lines[0].name], [201, 'd'])
    assert.deepEqual(await stored(), before)
  })

  it('a key stores it once', async () => {
    const asked = { body: { title: 'Keyed', lines: [line('k')] }, headers: { 'idempotency-key': 'nested-1' } }
    const [first, again] = [
      await ask('POST', '/invoices?expand=lines', asked),
      await ask('POST', '/invoices?expand=lines', asked),
    ]
    assert.deepEqual([first.status, again.status], [201, 201])
    assert.deepEqual(again.body, first.body)
    assert.equal((await ask('GET', '/invoices?title=Keyed')).body.data.length, 1)
  })
})
