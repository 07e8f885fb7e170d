/**
 * `Idempotency-Key`: a retried request takes effect once and gets the same response; refused
 * requests are not stored.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { everythingStored, startService, type TestPerson, type TestService } from '../helpers/application.ts'
import { openWire } from '../helpers/wire.ts'

let own: TestService
let admin: TestPerson
before(async () => {
  own = await startService({ SIGN_UP_LIMIT: 'off' })
  admin = await own.admin()
})
after(() => own.stop())

let keys = 0
const newKey = () => `key-${keys++}-8e03978e-40d5-43dd-bc93-6894a57f9324`
const withKey = (key: string, more: Record<string, string> = {}) => ({ headers: { 'idempotency-key': key, ...more } })
const shelf = (label: string) => ({ label, room: 'a' })

async function countOf(room: string): Promise<number> {
  return (await own.ask('GET', `/shelves?room=${room}`)).body.count
}

test('a retry has the same answer and no second effect, whoever asks and however the key is written', async () => {
  const { ask } = own
  const key = newKey()
  const body = { label: 'One', room: 'once' }
  const first = await ask('POST', '/shelves', { body, ...withKey(key) })
  assert.equal(first.status, 201)
  assert.equal(first.headers.get('idempotency-replayed'), null)
  for (const written of [key, `"${key}"`]) {
    const again = await ask('POST', '/shelves', { body, ...withKey(written) })
    assert.deepEqual([again.status, again.text], [201, first.text])
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    for (const name of ['location', 'etag', 'content-type', 'cache-control'])
      assert.equal(again.headers.get(name), first.headers.get(name), name)
  }
  assert.equal(await countOf('once'), 1)
  const other = await ask('POST', '/shelves', { body: { ...body, label: 'Two' }, ...withKey(key) })
  assert.equal(other.status, 422)
  assert.deepEqual(other.body, { error: 'This Idempotency-Key was used for another request; take a new one' })
  assert.equal(await countOf('once'), 1)
})

test('changes, deletes and actions are repeated neither', async () => {
  const { ask } = own
  const { token } = admin
  const { id } = (await ask('POST', '/shelves', { body: shelf('Changing') })).body
  const [change, remove] = [newKey(), newKey()]
  const changing = () =>
    ask('PATCH', `/shelves/${id}`, { body: { label: 'Changed' }, ...withKey(change, { 'if-match': '"1"' }) })
  const [once, twice] = [await changing(), await changing()]
  assert.deepEqual([once.status, twice.status, twice.text], [200, 200, once.text])
  assert.equal(twice.headers.get('etag'), '"2"')
  const removing = () => ask('DELETE', `/shelves/${id}`, withKey(remove))
  assert.deepEqual([(await removing()).status, (await removing()).status], [204, 204])
  assert.equal((await ask('DELETE', `/shelves/${id}`)).status, 404)

  const person = await own.person()
  const bar = newKey()
  const barring = () => ask('POST', `/api/v1/members/${person.id}/bar`, { token, ...withKey(bar) })
  const barred = await barring()
  assert.equal(barred.status, 200)
  await ask('POST', `/api/v1/members/${person.id}/admit`, { token })
  assert.equal((await barring()).text, barred.text)
  assert.equal((await ask('GET', `/api/v1/members/${person.id}`, { token })).body.status, 'ACTIVE')
})

test('a key is one caller’s, for one operation', async () => {
  const { ask } = own
  const [a, b] = [await own.person(), await own.person()]
  const key = newKey()
  const posting = ({ token }: TestPerson) =>
    ask('POST', '/api/v1/articles', { body: { title: 'T' }, token, ...withKey(key) })
  const [first, other] = [await posting(a), await posting(b)]
  assert.deepEqual([first.status, other.status], [201, 201])
  assert.notEqual(first.body.id, other.body.id)
  assert.equal((await posting(a)).body.id, first.body.id)
  const elsewhere = await ask('POST', '/shelves', { body: shelf('Elsewhere'), token: a.token, ...withKey(key) })
  assert.equal(elsewhere.status, 201)
  const apiKey = await own.key(a)
  const byKey = await ask('POST', `/api/v1/articles?api_key=${apiKey}`, { body: { title: 'T' }, ...withKey(key) })
  assert.deepEqual([byKey.status, byKey.body.error], [201, undefined])
  assert.equal(byKey.body.id, first.body.id)
})

test('an answer is shown to nobody who has other rights now', async () => {
  const { ask } = own
  const a = await own.person()
  const key = newKey()
  const body = { title: 'Mine' }
  const first = await ask('POST', '/api/v1/articles', { body, token: a.token, ...withKey(key) })
  const scoped = await own.key(a, { scopes: ['articles:create'] })
  const refused = await ask('POST', '/api/v1/articles', { body, key: scoped, ...withKey(key) })
  assert.equal(refused.status, 409)
  assert.match(refused.body.error, new RegExp(`read /api/v1/articles/${first.body.id} instead`))
})

test('nothing is kept of a refusal: the corrected request goes through under the same key', async () => {
  const { ask } = own
  const person = await own.person()
  const invalid = newKey()
  assert.equal((await ask('POST', '/shelves', { body: { label: '' }, ...withKey(invalid) })).status, 400)
  assert.equal((await ask('POST', '/shelves', { body: shelf('Valid'), ...withKey(invalid) })).status, 201)
  const nobody = newKey()
  assert.equal((await ask('POST', '/api/v1/articles', { body: { title: 'A' }, ...withKey(nobody) })).status, 401)
  const { token } = person
  assert.equal((await ask('POST', '/api/v1/articles', { body: { title: 'A' }, token, ...withKey(nobody) })).status, 201)
  const taken = newKey()
  const signUp = (email: string) =>
    ask('POST', '/api/v1/members', { body: { email, password: 'correct horse' }, ...withKey(taken) })
  assert.equal((await signUp(person.email)).status, 409)
  assert.equal((await signUp('free@example.com')).status, 201)
})

test('keys that are none are refused, and imports take none', async () => {
  const { ask } = own
  for (const bad of ['', '""', 'two words', 'x'.repeat(256), '"half', 'caf\u00e9']) {
    const { status, body } = await ask('POST', '/shelves', { body: shelf('Bad'), ...withKey(bad) })
    assert.deepEqual(
      [status, body],
      [400, { error: 'Idempotency-Key must be one key of 1 to 255 printable ASCII characters' }],
      bad,
    )
  }
  const longest = await ask('POST', '/shelves', { body: shelf('Longest'), ...withKey('y'.repeat(255)) })
  assert.equal(longest.status, 201)
  const key = await own.key(await own.person('EDITOR'))
  const asked: Record<string, string>[] = [{ 'idempotency-key': newKey() }, { prefer: 'dry-run' }]
  for (const headers of asked) {
    const raw = '{"title":"A","price":1}\n'
    const reply = await ask('POST', '/api/v1/editions/import', { raw, type: 'application/x-ndjson', key, headers })
    assert.equal(reply.status, 400)
    assert.match(reply.body.error, /^An import takes no /)
  }
})

test('what is shown only once is not kept, and passwords are in nothing that is', async () => {
  const { ask } = own
  const { token } = await own.person('EDITOR')
  const key = newKey()
  const making = () => ask('POST', '/api/v1/access-keys', { body: { name: 'machine' }, token, ...withKey(key) })
  const made = await making()
  assert.equal(made.status, 201)
  const again = await making()
  assert.equal(again.status, 409)
  assert.equal(
    again.body.error,
    `This request was done, and its answer showed a secret only once; delete ${made.headers.get('location')} and send a new request with another key`,
  )
  const secret = made.body.key as string
  const signUp = newKey()
  const body = { email: 'kept@example.com', password: 'an unlikely password 4711' }
  const first = await ask('POST', '/api/v1/members', { body, ...withKey(signUp) })
  assert.equal(first.status, 201)
  assert.equal((await ask('POST', '/api/v1/members', { body, ...withKey(signUp) })).text, first.text)
  const changed = { ...body, password: 'another password 4711' }
  assert.equal((await ask('POST', '/api/v1/members', { body: changed, ...withKey(signUp) })).status, 422)
  const stored = await everythingStored(own.folder)
  for (const one of [secret, body.password, signUp]) assert.ok(!stored.includes(one), one)
})

test('of many at once one has an effect; the others learn that it runs, or its answer', async () => {
  const { ask } = own
  const key = newKey()
  const body = { label: 'Many', room: 'many' }
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => ask('POST', '/shelves', { body, ...withKey(key) })),
  )
  const texts = new Set<string>()
  for (const { status, text, headers } of replies) {
    if (status === 201) texts.add(text)
    else assert.deepEqual([status, headers.get('retry-after')], [409, '1'])
  }
  assert.equal(texts.size, 1)
  assert.equal(await countOf('many'), 1)
})

test('a client that leaves before its answer gets it with the next request', async () => {
  const { ask } = own
  const key = newKey()
  const text = JSON.stringify({ label: 'Cut', room: 'cut' })
  const wire = await openWire(own.url)
  const head = `POST /shelves HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\n`
  wire.send(`${head}Content-Length: ${text.length}\r\n\r\n${text}`)
  await new Promise((resolve) => setTimeout(resolve, 1))
  wire.end()
  let reply = await ask('POST', '/shelves', { raw: text, ...withKey(key) })
  while (reply.status === 409) reply = await ask('POST', '/shelves', { raw: text, ...withKey(key) })
  assert.equal(reply.status, 201)
  assert.equal(await countOf('cut'), 1)
})

test('a dry run says what would happen and stores nothing', async () => {
  const { ask } = own
  const headers = { prefer: 'dry-run' }
  const would = await ask('POST', '/shelves', { body: { label: 'Dry', room: 'dry' }, headers })
  assert.deepEqual([would.status, would.body.label, would.headers.get('location')], [201, 'Dry', null])
  assert.equal(would.headers.get('preference-applied'), 'dry-run')
  assert.equal(await countOf('dry'), 0)
  const { id } = (await ask('POST', '/shelves', { body: { label: 'Wet', room: 'dry' } })).body
  assert.equal((await ask('PATCH', `/shelves/${id}`, { body: { label: 'Changed' }, headers })).body.label, 'Changed')
  assert.equal((await ask('DELETE', `/shelves/${id}`, { headers })).status, 204)
  const now = await ask('GET', `/shelves/${id}`)
  assert.deepEqual([now.body.label, now.headers.get('etag')], ['Wet', '"1"'])
  assert.equal((await ask('POST', '/shelves', { body: { label: '' }, headers })).status, 400)
})

test('return=minimal leaves the body out, unless it shows something for the only time', async () => {
  const { ask } = own
  const headers = { prefer: 'return=minimal' }
  const made = await ask('POST', '/shelves', { body: shelf('Short'), headers })
  assert.deepEqual([made.status, made.text, made.headers.get('etag')], [201, '', '"1"'])
  assert.equal(made.headers.get('preference-applied'), 'return=minimal')
  const at = made.headers.get('location') as string
  const changed = await ask('PATCH', at, { body: { label: 'Shorter' }, headers })
  assert.deepEqual([changed.status, changed.text, changed.headers.get('etag')], [204, '', '"2"'])
  const { token } = await own.person('EDITOR')
  const key = await ask('POST', '/api/v1/access-keys', { body: { name: 'm' }, token, headers })
  assert.deepEqual([key.status, key.headers.get('preference-applied')], [201, null])
  assert.match(key.text, /bk_/)
})

test('after a day a key is free again', async () => {
  const { ask } = own
  const key = newKey()
  const posting = () => ask('POST', '/shelves', { body: { label: 'Daily', room: 'daily' }, ...withKey(key) })
  const first = await posting()
  own.turn(24 * 3_600_000 - 60_000)
  assert.equal((await posting()).text, first.text)
  own.turn(61_000)
  const next = await posting()
  assert.equal(next.headers.get('idempotency-replayed'), null)
  assert.equal((await posting()).text, next.text)
  assert.equal(await countOf('daily'), 2)
})
