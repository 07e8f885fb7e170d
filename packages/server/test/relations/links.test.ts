/** Links (`manyToMany`): how bodies change them, and what answers and filters show. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { defineResource, id, manyToMany, reference, text, where } from '../../src/index.ts'
import { findMistakes } from '../../src/resource/check.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import { linked, startWorld } from './links-world.ts'

const { service, eve, ask, made } = await startWorld()
after(() => service.stop())

const [red, blue, green] = [
  await made('/tags', { name: 'red' }),
  await made('/tags', { name: 'blue' }),
  await made('/tags', { name: 'green' }),
]
/** Only Eve sees it. */
const secret = await made('/tags', { name: 'secret', isOpen: false }, eve)
const nowhere = '01a20a6f-0e48-72c1-8d2f-bb66b83ff11a'
const tagsOf = async (id: string, as?: typeof eve) =>
  (await ask('GET', `/articles/${id}?fields=tags`, as ? { as } : {})).body.tags.toSorted()
const sorted = (...ids: string[]) => ids.toSorted()

describe('a body', () => {
  it('sets, adds and removes links, and each is one new version', async () => {
    const created = await ask('POST', '/articles', { body: { title: 'One', tags: [red, blue] } })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    assert.equal(Object.hasOwn(created.body, 'tags'), false)
    assert.equal(created.headers.get('etag'), '"1"')
    const { id } = created.body
    assert.deepEqual(await tagsOf(id), sorted(red, blue))
    const changes: [unknown, string[], string][] = [
      [{ tags: { add: [green], remove: [red] } }, sorted(blue, green), '"2"'],
      [{ tags: { set: [red] } }, [red], '"3"'],
      [{ tags: [red, green] }, sorted(red, green), '"4"'],
      [{ tags: { add: [red] } }, sorted(red, green), '"5"'],
      [{ tags: { remove: [blue] }, title: 'Two' }, sorted(red, green), '"6"'],
      [{ tags: null }, [], '"7"'],
    ]
    for (const [body, expected, etag] of changes) {
      const answer = await ask('PATCH', `/articles/${id}`, { body })
      assert.equal(answer.status, 200, JSON.stringify([body, answer.body]))
      assert.equal(answer.headers.get('etag'), etag)
      assert.deepEqual(await tagsOf(id), expected, JSON.stringify(body))
    }
  })

  it('is refused with 400, and then nothing is stored', async () => {
    const id = await made('/articles', { title: 'Refused', tags: [red] })
    const refused: [unknown, RegExp][] = [
      [[nowhere], /^tags refers to no tag that exists$/],
      [[secret], /^tags refers to no tag that exists$/],
      [{ add: [secret] }, /^tags refers to no tag that exists$/],
      [['x'], /^tags\[0\] must be an id$|^tags refers to no tag that exists$/],
      [[7], /^tags\[0\] must be a string$/],
      [{ add: [red, { id: 7 }] }, /^tags\.add\[1\]\.id must be a string$/],
      ['x', /^tags must be a list of ids, or an object with set, or with add and remove$/],
      [{}, /^tags must be a list of ids/],
      [{ put: [red] }, /^tags must be a list of ids/],
      [{ set: [red], add: [blue] }, /^tags must be a list of ids/],
      [{ add: [red], remove: [red] }, /^tags adds and removes/],
      [[red, red], /^tags names .* twice$/],
      [[{ id: red, role: 'AUTHOR' }], /^tags has no role in its links$/],
      [[{}], /^tags needs the id of each link$/],
      [Array.from({ length: 6 }, () => red), /^tags has at most 5 links$/],
    ]
    for (const [value, sentence] of refused) {
      const answer = await ask('PATCH', `/articles/${id}`, { body: { title: 'Changed', tags: value } })
      assert.equal(answer.status, 400, JSON.stringify([value, answer.body]))
      assert.match(answer.body.error, sentence)
      const create = await ask('POST', '/articles', { body: { title: 'Created', tags: value } })
      assert.equal(create.status, 400, JSON.stringify([value, create.body]))
    }
    const { body, headers } = await ask('GET', `/articles/${id}`)
    assert.deepEqual([body.title, headers.get('etag'), await tagsOf(id)], ['Refused', '"1"', [red]])
    assert.equal((await ask('GET', '/articles?title=Created')).body.meta.total, 0)
  })

  it('has a limit over all that is linked', async () => {
    const more = await Promise.all(['a', 'b', 'c', 'd'].map((name) => made('/tags', { name: `limit ${name}` })))
    const id = await made('/articles', { title: 'Full', tags: [red, blue, ...more.slice(0, 3)] })
    const over = await ask('PATCH', `/articles/${id}`, { body: { tags: { add: [more[3]] } } })
    assert.deepEqual([over.status, over.body.error], [400, 'tags has at most 5 links'])
    const swap = await ask('PATCH', `/articles/${id}`, { body: { tags: { add: [more[3]], remove: [red] } } })
    assert.equal(swap.status, 200)
  })

  it('follows the rule of the record, and If-Match', async () => {
    const id = await made('/articles', { title: 'Ruled', tags: [red] })
    assert.equal((await ask('PATCH', `/articles/${id}`, { as: eve, body: { tags: [] } })).status, 403)
    const stale = await ask('PATCH', `/articles/${id}`, { body: { tags: [] }, headers: { 'if-match': '"9"' } })
    assert.equal(stale.status, 412)
    const right = await ask('PATCH', `/articles/${id}`, { body: { tags: [] }, headers: { 'if-match': '"1"' } })
    assert.equal(right.status, 200)
  })

  it('keeps the links that a PUT leaves out', async () => {
    const id = await made('/articles', { title: 'Kept', tags: [red] })
    assert.equal((await ask('PUT', `/articles/${id}`, { body: { title: 'Put' } })).status, 200)
    assert.deepEqual(await tagsOf(id), [red])
    assert.equal((await ask('PUT', `/articles/${id}`, { body: { title: 'Put', tags: [blue] } })).status, 200)
    assert.deepEqual(await tagsOf(id), [blue])
  })
})

describe('links with values, in order', () => {
  it('keep the order of the list that sets them, and the values that are not sent', async () => {
    const [ada, ben, cy] = [
      await made('/writers', { name: 'Ada' }),
      await made('/writers', { name: 'Ben' }),
      await made('/writers', { name: 'Cy' }),
    ]
    const id = await made('/articles', { title: 'Written', writers: [ben, { id: ada, role: 'EDITOR', note: 'late' }] })
    const shown = async () => (await ask('GET', `/articles/${id}?fields=writers`)).body.writers
    const author = (of: string, role = 'AUTHOR', note: string | null = null) => ({ id: of, role, note })
    assert.deepEqual(await shown(), [author(ben), author(ada, 'EDITOR', 'late')])
    await ask('PATCH', `/articles/${id}`, { body: { writers: { add: [cy] } } })
    assert.deepEqual(await shown(), [author(ben), author(ada, 'EDITOR', 'late'), author(cy)])
    await ask('PATCH', `/articles/${id}`, { body: { writers: [{ id: cy, role: 'EDITOR' }, ada, ben] } })
    assert.deepEqual(await shown(), [author(cy, 'EDITOR'), author(ada, 'EDITOR', 'late'), author(ben)])
    const wrong = await ask('PATCH', `/articles/${id}`, { body: { writers: [{ id: cy, role: 'X' }] } })
    assert.equal(wrong.status, 400)
    const expanded = (await ask('GET', `/articles/${id}?expand=writers(limit:2)`)).body.writers
    assert.deepEqual(expanded, [
      { id: cy, name: 'Cy', _link: { role: 'EDITOR', note: null } },
      { id: ada, name: 'Ada', _link: { role: 'EDITOR', note: 'late' } },
    ])
  })
})

describe('a reader who may not see a tag', () => {
  it('finds it nowhere, and does not take it away', async () => {
    const id = await made('/articles', { title: 'Both', tags: [red, secret] }, eve)
    assert.deepEqual(await tagsOf(id, eve), sorted(red, secret))
    assert.deepEqual(await tagsOf(id), [red])
    const names = async (as?: typeof eve) =>
      (await ask('GET', `/articles/${id}?expand=tags(fields:name)`, as ? { as } : {})).body.tags.map(
        (tag: { name: string }) => tag.name,
      )
    assert.deepEqual((await names(eve)).toSorted(), ['red', 'secret'])
    assert.deepEqual(await names(), ['red'])
    const found = async (query: string, as?: typeof eve) =>
      (await ask('GET', `/articles?${query}&title=Both`, as ? { as } : {})).body.meta?.total
    const some = `filter=${encodeURIComponent('{"tags":{"some":{"name":"secret"}}}'.replace('"secret"', '{"eq":"secret"}'))}`
    const every = `filter=${encodeURIComponent('{"tags":{"every":{"name":{"eq":"red"}}}}')}`
    const none = `filter=${encodeURIComponent('{"tags":{"none":{"isOpen":{"eq":false}}}}')}`
    for (const [query, forEve, forAnn] of [
      [some, 1, 0],
      [every, 0, 1],
      [none, 0, 1],
      [`tags=${secret}`, 1, 0],
      [`tags[in]=${secret},${red}`, 1, 1],
      [`tags=${red}`, 1, 1],
      ['tags[null]=true', 0, 0],
    ] as const) {
      assert.equal(await found(query, eve), forEve, query)
      assert.equal(await found(query), forAnn, query)
    }
  })

  it('who may change the record replaces only the links that the field shows', async () => {
    const tag = await made('/tags', { name: 'open at first', isOpen: true }, eve)
    const id = await made('/articles', { title: 'Mine', tags: [red, tag] })
    assert.equal((await ask('PATCH', `/tags/${tag}`, { as: eve, body: { isOpen: false } })).status, 200)
    assert.deepEqual(await tagsOf(id), [red])
    for (const value of [[blue], { remove: [tag] }, null]) {
      assert.equal((await ask('PATCH', `/articles/${id}`, { body: { tags: value } })).status, 200)
      assert.ok((await tagsOf(id, eve)).includes(tag), JSON.stringify(value))
    }
  })
})

describe('a deleted tag', () => {
  it('takes its links along; the records keep their version', async () => {
    const tag = await made('/tags', { name: 'short' })
    const id = await made('/articles', { title: 'Left', tags: [red, tag] })
    const before = await ask('GET', `/articles/${id}?fields=tags`)
    assert.equal((await ask('DELETE', `/tags/${tag}`)).status, 204)
    assert.deepEqual(await tagsOf(id), [red])
    const after = await ask('GET', `/articles/${id}?fields=tags`)
    assert.notEqual(before.headers.get('etag'), after.headers.get('etag'))
    assert.equal((await ask('GET', `/articles/${id}`)).headers.get('etag'), '"1"')
  })
})

describe('links to records of the same resource', () => {
  it('work as others, also to the record itself', async () => {
    const one = await made('/articles', { title: 'First' })
    const two = await made('/articles', { title: 'Second', related: [one] })
    await ask('PATCH', `/articles/${two}`, { body: { related: { add: [two] } } })
    const filter = encodeURIComponent('{"related":{"some":{"related":{"some":{"title":{"eq":"First"}}}}}}')
    const { body } = await ask('GET', `/articles?filter=${filter}`)
    assert.deepEqual(
      body.data.map((record: { id: string }) => record.id),
      [two],
    )
    assert.equal((await ask('DELETE', `/articles/${two}`)).status, 204)
    assert.equal((await ask('GET', `/articles/${one}?expand=related`)).status, 200)
  })
})

describe('a declaration', () => {
  const mistakesOf = (fields: Record<string, Field>) => {
    const made = {
      name: 'pin',
      path: '/pins',
      fields: { id: id(), ...fields },
      list: { style: 'page' },
      access: {},
    } as const
    return findMistakes([...linked, defineResource(made as never)]).map((one) => one.replace(/^.*?pin: /, ''))
  }

  it('is refused with a sentence for each mistake', () => {
    const table: [Record<string, Field>, RegExp][] = [
      [
        { tags: manyToMany('tga') },
        /^field "tags": links "tga", which is not in the list of resources; did you mean "tag"/,
      ],
      [{ tags: manyToMany('tag', { max: 0 }) }, /^field "tags": max: must be a whole number from 1/],
      [{ tags: manyToMany('tag', { max: 20_000 }) }, /^field "tags": max is at most 10000$/],
      [{ tags: manyToMany('tag', { fields: { id: text() } }) }, /^field "tags": the links have a "id" of their own/],
      [
        { tags: manyToMany('tag', { fields: { of: reference('tag') } }) },
        /^field "tags": fields.of: a field of links is a plain value/,
      ],
      [
        { tags: manyToMany('tag', { order: true } as never) },
        /^field "tags": no option "order"; did you mean "ordered"/,
      ],
      [
        { who: text(), tags: manyToMany('tag', { read: where({ who: 'x' }) }) },
        /^field "tags": its read is a rule about the caller/,
      ],
    ]
    for (const [fields, sentence] of table) {
      const mistakes = mistakesOf(fields)
      assert.ok(
        mistakes.some((one) => sentence.test(one)),
        `${sentence}: ${mistakes.join(' | ')}`,
      )
    }
  })
})
