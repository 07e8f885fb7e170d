/**
 * The guide `declare-teams-and-coaches.md`: its rules for a coach, a player, a stranger and a
 * caller without a credential, by REST and GraphQL.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startService, type TestResponse } from 'bindery-server/test'
import { resourcesOf } from './recipe.ts'

const resources = await resourcesOf('docs/how-to/declare-teams-and-coaches.md', 'my-app/teams.ts')
const service = await startService(resources)
after(() => service.stop())
const { ask } = service

const [coach, player, other, stranger] = [
  await service.person(),
  await service.person(),
  await service.person(),
  await service.person(),
]
type Caller = { readonly token?: string }
const callers: readonly Caller[] = [coach, player, stranger, {}]

const post = (path: string, body: object, { token }: Caller) => ask('POST', `/api/v1${path}`, { body, token })
const patch = (path: string, body: object, { token }: Caller) => ask('PATCH', `/api/v1${path}`, { body, token })
const get = (path: string, { token }: Caller) => ask('GET', `/api/v1${path}`, { token })
const graph = async (query: string, { token }: Caller) =>
  (await ask('POST', '/graphql', { body: { query }, token })).body

async function made(reply: Promise<TestResponse>): Promise<{ id: string }> {
  const { status, body, text } = await reply
  assert.equal(status, 201, text)
  return body
}
const statuses = (replies: readonly TestResponse[]) => replies.map(({ status }) => status)
const ofAll = <T>(askAs: (caller: Caller) => Promise<T>) => Promise.all(callers.map(askAs))
/** The code of the error of each caller, or the data of the field. */
const graphOfAll = async (query: string, field: string) =>
  (await ofAll((caller) => graph(query, caller))).map(({ data, errors }) => errors?.[0].extensions.code ?? data[field])

/** Within the life of an access token. */
const minute = 60_000
const at = (ms: number) => new Date(service.now() + ms).toISOString()

const team = await made(post('/teams', { name: 'Rowing' }, other))
await made(post('/team-members', { teamId: team.id, userId: coach.id, role: 'COACH' }, other))
await made(post('/team-members', { teamId: team.id, userId: player.id }, coach))
const away = await made(post('/teams', { name: 'Sailing' }, stranger))
const times = { startsAt: at(minute), endsAt: at(2 * minute) }
const draft = await made(post('/trainings', { teamId: team.id, title: 'Draft', ...times }, coach))
const shown = await made(post('/trainings', { teamId: team.id, title: 'Open', state: 'PUBLISHED', ...times }, coach))

describe('teams and their coaches', () => {
  it('members read their team, and a stranger finds none', async () => {
    assert.deepEqual(statuses(await ofAll((by) => get(`/teams/${team.id}`, by))), [200, 200, 404, 401])
    const rename = await ofAll((by) => patch(`/teams/${team.id}`, { name: 'Rowing' }, by))
    assert.deepEqual(statuses(rename), [200, 403, 404, 401])
    const removed = [await ask('DELETE', `/api/v1/teams/${team.id}`, coach)]
    assert.deepEqual(statuses(removed), [403], 'only the owner deletes a team')
    assert.deepEqual(await graphOfAll(`{ team(id: "${team.id}") { name } }`, 'team'), [
      { name: 'Rowing' },
      { name: 'Rowing' },
      'NOT_FOUND',
      'UNAUTHENTICATED',
    ])
  })

  it('players make no member a coach, and no stranger joins', async () => {
    const body = { teamId: team.id, userId: stranger.id, role: 'COACH' }
    assert.deepEqual(
      statuses([await post('/team-members', body, player), await post('/team-members', body, stranger)]),
      [403, 403],
    )
  })

  it('players see no draft, alone or in a list', async () => {
    assert.deepEqual(statuses(await ofAll((by) => get(`/trainings/${draft.id}`, by))), [200, 404, 404, 401])
    assert.deepEqual(statuses(await ofAll((by) => get(`/trainings/${shown.id}`, by))), [200, 200, 404, 401])
    const lists = await ofAll((by) => get('/trainings', by))
    assert.deepEqual(
      lists.map(({ body }) => body.meta?.total),
      [2, 1, 0, undefined],
    )
    assert.deepEqual(await graphOfAll('{ trainings { data { title } } }', 'trainings'), [
      { data: [{ title: 'Draft' }, { title: 'Open' }] },
      { data: [{ title: 'Open' }] },
      { data: [] },
      'UNAUTHENTICATED',
    ])
  })

  it('only coaches write a training', async () => {
    const move = await ofAll((by) => patch(`/trainings/${shown.id}`, { title: 'Open' }, by))
    assert.deepEqual(statuses(move), [200, 403, 404, 401])
    const query = `mutation { updateTraining(id: "${shown.id}", input: { title: "Open" }) { title } }`
    assert.deepEqual(await graphOfAll(query, 'updateTraining'), [
      { title: 'Open' },
      'FORBIDDEN',
      'NOT_FOUND',
      'UNAUTHENTICATED',
    ])
    const moved = await patch(`/trainings/${shown.id}`, { teamId: away.id }, coach)
    assert.equal(moved.status, 403, 'no coach moves a training into a team of others')
    const wrong = await patch(`/trainings/${shown.id}`, { endsAt: times.startsAt }, coach)
    assert.deepEqual([wrong.status, wrong.body], [400, { error: 'The end must be after the start' }])
  })

  it('coaches read private notes, a player those about themselves', async () => {
    const about = { trainingId: shown.id, playerId: player.id }
    const secret = await made(post('/notes', { ...about, text: 'Tired', isPrivate: true }, coach))
    const open = await made(post('/notes', { ...about, text: 'Strong' }, coach))
    assert.deepEqual(statuses(await ofAll((by) => get(`/notes/${secret.id}`, by))), [200, 404, 404, 401])
    assert.deepEqual(statuses(await ofAll((by) => get(`/notes/${open.id}`, by))), [200, 200, 404, 401])
    await made(post('/notes', { ...about, text: 'Fun' }, player))
    const onOther = { trainingId: shown.id, playerId: coach.id, text: 'Late' }
    assert.equal((await post('/notes', onOther, player)).status, 403)
    assert.deepEqual(await graphOfAll(`{ note(id: "${secret.id}") { text } }`, 'note'), [
      { text: 'Tired' },
      'NOT_FOUND',
      'NOT_FOUND',
      'UNAUTHENTICATED',
    ])
  })

  it('a training that is over stays as it was, and its notes are still read', async () => {
    const past = { teamId: team.id, title: 'Past', startsAt: at(-2 * minute), endsAt: at(-minute) }
    assert.equal((await post('/trainings', past, coach)).status, 403)
    service.turn(3 * minute)
    const [late, ofPlayer] = [
      await patch(`/trainings/${shown.id}`, { title: 'Won' }, coach),
      await get(`/trainings/${shown.id}`, player),
    ]
    assert.deepEqual(statuses([late, ofPlayer]), [403, 200])
    const query = `mutation { deleteTraining(id: "${shown.id}") { id } }`
    assert.deepEqual(await graphOfAll(query, 'deleteTraining'), [
      'FORBIDDEN',
      'FORBIDDEN',
      'NOT_FOUND',
      'UNAUTHENTICATED',
    ])
    assert.equal((await get('/notes', coach)).body.meta.total, 3)
  })

  it('a coach who leaves is a stranger at once', async () => {
    const { body } = await get(`/team-members?teamId=${team.id}`, coach)
    const own = body.data.find((one: { userId: string }) => one.userId === coach.id)
    assert.equal((await ask('DELETE', `/api/v1/team-members/${own.id}`, { token: coach.token })).status, 204)
    assert.equal((await get(`/trainings/${draft.id}`, coach)).status, 404)
  })
})
