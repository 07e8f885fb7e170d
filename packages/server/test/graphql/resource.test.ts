/** Resources of every kind through GraphQL: the same rules, filters and paging as REST. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapReads } from '../helpers/wrapped-reads.ts'
import { type Answer, type Endpoint, openEndpoint, type TestPerson } from './endpoint.ts'

describe('resources', () => {
  let endpoint: Endpoint
  let ask: Endpoint['ask']
  let user: TestPerson
  let other: TestPerson
  let editor: TestPerson
  let admin: TestPerson
  const editions: string[] = []
  before(async () => {
    endpoint = await openEndpoint()
    ask = endpoint.ask
    user = await endpoint.person('USER')
    other = await endpoint.person('USER')
    editor = await endpoint.person('EDITOR')
    admin = await endpoint.admin()
    for (let i = 1; i <= 5; i += 1) {
      const input = { title: `Lamp ${i}`, subject: i % 2 ? 'Tools' : 'Light, indoor', price: i * 10 + 0.99, copies: 3 }
      const answer = await ask('mutation ($input: CreateEditionInput!) { createEdition(input: $input) { id } }', {
        token: editor.token,
        variables: { input },
      })
      editions.push(answer.data.createEdition.id)
    }
  })
  after(() => endpoint.stop())

  const codes = async (query: string, token?: string, variables?: Record<string, unknown>) =>
    (await ask(query, { token, variables })).errors?.map((error) => `${error.extensions.code}: ${error.message}`)

  it('lists pages with what REST tells beside them', async () => {
    const answer = await ask(
      '{ editions(page: 2, limit: 2, sort: "price") { data { title price } meta { page limit total totalPages hasNextPage hasPrevPage nextCursor } } }',
    )
    const meta = { page: 2, limit: 2, total: 5, totalPages: 3, hasNextPage: true, hasPrevPage: true, nextCursor: null }
    assert.deepEqual(answer.data.editions, {
      data: [
        { title: 'Lamp 3', price: 30.99 },
        { title: 'Lamp 4', price: 40.99 },
      ],
      meta,
    })
  })

  /** How many calls of the storage's method the work makes. */
  async function callsOf(method: 'page' | 'list', work: () => Promise<unknown>): Promise<number> {
    let calls = 0
    const restore = wrapReads(endpoint.service.engine, [method], (own) => (...args) => {
      calls += 1
      return own(...args)
    })
    try {
      await work()
    } finally {
      restore()
    }
    return calls
  }

  it('counts only when a total is asked for', async () => {
    const asked = (query: string) => callsOf('page', () => ask(query))
    assert.equal(await asked('{ editions { data { id } meta { page limit } } }'), 0)
    const through = '{ editions { data { id } ...More } } fragment More on EditionList { meta { hasNextPage } }'
    assert.equal(await asked(through), 1)
  })

  it('filters, sorts and searches as REST does', async () => {
    const names = async (args: string) =>
      (await ask(`{ editions(sort: "price", ${args}) { data { title } } }`)).data?.editions.data
        .map((one: { title: string }) => one.title.slice(5))
        .join('')
    assert.equal(await names('subject: "Tools"'), '135')
    assert.equal(await names('subject: ""'), '12345')
    assert.equal(await names('minPrice: 20.99, maxPrice: 40'), '23')
    assert.equal(await names('available: false'), '')
    assert.equal(await names('q: "lam 4"'), '4')
    assert.equal(await names('filter: { price: { gt: 20.99, lte: 40.99 }, subject: { startsWith: "tool" } }'), '3')
    assert.equal(await names(`filter: { id: { in: ["${editions[0]}", "${editions[4]}"] } }`), '15')
    assert.equal(await names('filter: { title: { ne: "Lamp 1" }, summary: { null: true } }'), '2345')
    assert.match(
      String(await codes('{ editions(sort: "secret") { data { id } } }')),
      /^BAD_USER_INPUT: Cannot sort by secret; sortable: id, title, /,
    )
    const part = '{ loans(filter: { status: { contains: "end", startsWith: "P" } }) { data { id } } }'
    assert.doesNotMatch(JSON.stringify(await codes(part)), /VALIDATION/, 'a part of a value is a text')
    assert.equal(await names('filter: { subject: { in: ["Light, indoor"] } }'), '24')
    assert.deepEqual(await codes('{ editions(filter: { subject: { eq: null } }) { data { id } } }'), [
      'BAD_USER_INPUT: subject[eq] must not be null',
    ])
  })

  it('walks by cursor', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const answer = await ask(
        'query ($cursor: String) { editions(cursor: $cursor, limit: 2, sort: "title") { data { title } meta { page total nextCursor } } }',
        { variables: { cursor } },
      )
      const page: { data: { title: string }[]; meta: { nextCursor: string | null } } = answer.data.editions
      seen.push(...page.data.map((one) => one.title))
      cursor = page.meta.nextCursor
    }
    assert.deepEqual(
      seen,
      [1, 2, 3, 4, 5].map((i) => `Lamp ${i}`),
    )
    assert.deepEqual(await codes('{ editions(cursor: "x") { data { id } } }'), ['BAD_USER_INPUT: Invalid cursor'])
    assert.deepEqual(await codes('{ editions(cursor: "", page: 1) { data { id } } }'), [
      'BAD_USER_INPUT: cursor and page exclude each other',
    ])
  })

  it('creates, reads, updates, replaces and deletes, also by integer id', async () => {
    const made = await ask('mutation { createShelf(input: { label: "T", room: "A", since: 0 }) { id label since } }')
    const { id, since } = made.data.createShelf
    assert.equal(since, new Date().getUTCFullYear())
    const changed = await ask(
      'mutation ($id: ID!) { updateShelf(id: $id, input: { since: 1999 }) { label since } again: replaceShelf(id: $id, input: { label: "U", room: "B" }) { label since } }',
      { variables: { id } },
    )
    assert.deepEqual(changed.data, { updateShelf: { label: 'T', since: 1999 }, again: { label: 'U', since } })
    assert.equal((await ask(`{ shelf(id: ${id}) { id } }`)).data.shelf.id, id)
    assert.deepEqual((await ask(`{ shelves(room: "b") { data { label } meta { total page } } }`)).data.shelves, {
      data: [{ label: 'U' }],
      meta: { total: 1, page: 1 },
    })
    assert.deepEqual((await ask(`mutation { deleteShelf(id: ${id}) { __typename id } }`)).data, {
      deleteShelf: { __typename: 'Shelf', id: String(id) },
    })
    assert.deepEqual(await codes(`{ shelf(id: ${id}) { id } }`), ['NOT_FOUND: Shelf not found'])
    assert.deepEqual(await codes('mutation { createShelf(input: { label: "", room: "x" }) { id } }'), [
      'BAD_USER_INPUT: label and room required',
    ])
  })

  it('keeps the rules of each role', async () => {
    const input = { title: 'X', price: 1 }
    const create = 'mutation ($input: CreateEditionInput!) { createEdition(input: $input) { id } }'
    assert.deepEqual(await codes(create, undefined, { input }), ['UNAUTHENTICATED: Authentication required'])
    const answer = await ask(create, { token: user.token, variables: { input } })
    assert.deepEqual(answer.errors?.[0]?.extensions, { code: 'FORBIDDEN', requiredRoles: ['EDITOR', 'ADMIN'] })
    assert.deepEqual(await codes(`{ member(id: "${other.id}") { id } }`, user.token), ['NOT_FOUND: Member not found'])
    assert.deepEqual(
      await codes(`mutation { updateMember(id: "${user.id}", input: { role: ADMIN }) { id } }`, user.token),
      ['FORBIDDEN: Insufficient permissions'],
    )
    assert.equal(
      await codes(
        `mutation { barMember(id: "${other.id}") { status } admitMember(id: "${other.id}") { status } }`,
        admin.token,
      ),
      undefined,
    )
    other = await endpoint.logIn(other.email)
    assert.deepEqual(
      await codes(`mutation { createMember(input: { email: "${user.email}", password: "long enough" }) { id } }`),
      ['CONFLICT: email is already taken'],
    )
  })

  it('lends a basket: single, nested, action', async () => {
    const variables = { memberId: user.id, input: { editionId: editions[0], count: 2 } }
    const added = await ask(
      'mutation ($memberId: ID!, $input: CreateBasketLineInput!) { createBasketLine(memberId: $memberId, input: $input) { id count lineWorth edition { title } } }',
      { token: user.token, variables },
    )
    assert.deepEqual(added.errors, undefined)
    const { id, ...item } = added.data.createBasketLine
    assert.deepEqual(item, { count: 2, lineWorth: 21.98, edition: { title: 'Lamp 1' } })
    const basket = await ask(
      'query ($memberId: ID!) { basket(memberId: $memberId) { worth count lines { id edition { title } } member { email } } basketLines(memberId: $memberId) { data { id } } }',
      { token: user.token, variables },
    )
    assert.deepEqual(basket.data.basket, {
      worth: 21.98,
      count: 2,
      lines: [{ id, edition: { title: 'Lamp 1' } }],
      member: { email: user.email },
    })
    assert.deepEqual(basket.data.basketLines.data, [{ id }])
    assert.deepEqual(await codes(`{ basket(memberId: "${user.id}") { id } }`, other.token), [
      'NOT_FOUND: Member not found',
    ])
    const loan = await ask(
      'mutation ($memberId: ID!) { borrowBasket(memberId: $memberId) { id worth status lines { title price count } } }',
      { token: user.token, variables },
    )
    const { id: loanId, ...rest } = loan.data.borrowBasket
    assert.deepEqual(rest, { worth: 21.98, status: 'ASKED', lines: [{ title: 'Lamp 1', price: 10.99, count: 2 }] })
    assert.deepEqual(await codes(`mutation { borrowBasket(memberId: "${user.id}") { id } }`, user.token), [
      'CONFLICT: The basket is empty',
    ])
    assert.deepEqual(
      (await ask(`{ memberLoans(memberId: "${user.id}") { data { id } } }`, { token: user.token })).data.memberLoans
        .data,
      [{ id: loanId }],
    )
    assert.equal(
      (await ask(`mutation { cancelLoan(id: "${loanId}") { status } }`, { token: user.token })).data.cancelLoan.status,
      'CANCELLED',
    )
    assert.deepEqual(await codes(`mutation { prepareLoan(id: "${loanId}") { status } }`, editor.token), [
      'CONFLICT: Cannot prepare this loan, it is CANCELLED; nothing more is allowed',
    ])
  })

  it('shows references as records, fetched together, null where the caller does not see one', async () => {
    for (const person of [user, other]) {
      const variables = { editionId: editions[1], input: { stars: 5 } }
      await ask(
        'mutation ($editionId: ID!, $input: CreateOpinionInput!) { createOpinion(editionId: $editionId, input: $input) { id } }',
        { token: person.token, variables },
      )
    }
    const opinions = `{ editionOpinions(editionId: "${editions[1]}", sort: "id") { data { stars edition { title } member { email } } } }`
    let answer: Answer = {}
    const lists = await callsOf('list', async () => {
      answer = await ask(opinions, { token: user.token })
    })
    assert.deepEqual(answer.data.editionOpinions.data, [
      { stars: 5, edition: { title: 'Lamp 2' }, member: { email: user.email } },
      { stars: 5, edition: { title: 'Lamp 2' }, member: null },
    ])
    assert.equal(lists, 3)
  })

  it('shows a key once, and keeps it to its scopes', async () => {
    const made = await ask(
      'mutation { createAccessKey(input: { name: "k", scopes: ["opinions:read"] }) { id key scopes } }',
      { token: user.token },
    )
    const { id, key } = made.data.createAccessKey
    assert.match(key, /^bk_/)
    assert.equal((await ask(`{ accessKey(id: "${id}") { key } }`, { token: user.token })).data.accessKey.key, null)
    assert.deepEqual(
      (await ask('{ me { id } }', { key })).errors?.map((error) => error.extensions.code),
      ['FORBIDDEN'],
    )
    const answer = await ask(`{ editionOpinions(editionId: "${editions[1]}") { data { member { id } } } }`, { key })
    assert.deepEqual(answer.data.editionOpinions.data, [{ member: null }, { member: null }])
  })

  it('pages letters by their _id', async () => {
    for (const text of ['one', 'two', 'three']) {
      await ask('mutation ($input: CreateLetterInput!) { createLetter(input: $input) { _id } }', {
        token: user.token,
        variables: { input: { recipientId: other.id, text } },
      })
    }
    const first = await ask(
      '{ letters(limit: 2) { data { _id text recipient { id } } meta { nextCursor limit total } } }',
      { token: user.token },
    )
    const { data, meta } = first.data.letters
    assert.deepEqual(
      data.map((one: { text: string }) => one.text),
      ['three', 'two'],
    )
    assert.deepEqual(meta, { nextCursor: data[1]._id, limit: 2, total: null })
    const second = await ask('query ($c: String) { letters(cursor: $c) { data { text } meta { nextCursor } } }', {
      token: other.token,
      variables: { c: meta.nextCursor },
    })
    assert.deepEqual(second.data.letters, { data: [{ text: 'one' }], meta: { nextCursor: null } })
  })

  it('answers the same when a document is compiled', async () => {
    const queries = [
      '{ editions(limit: 3, sort: "title") { data { id title price available summary } meta { total nextCursor } } }',
      '{ opinions { data { stars member { id email } edition { title price } } } }',
      '{ me { id role } loan(id: "none") { id } member(id: "x") { email } }',
      '{ members { id } editions { data { title } } }',
      'query ($id: ID!) { basket(memberId: $id) { count lines { edition { title } } member { email } } }',
    ]
    for (const query of queries) {
      const answers: Answer[] = []
      for (let use = 1; use <= 4; use += 1)
        answers.push(await ask(query, { token: user.token, variables: { id: user.id } }))
      const bySentence = (answer: (typeof answers)[number] | undefined) => ({
        ...answer,
        errors: answer?.errors?.toSorted((a, b) => (a.message < b.message ? -1 : 1)),
      })
      assert.deepEqual(bySentence(answers[3]), bySentence(answers[0]), query)
    }
  })
})
