/**
 * Lists below a tenant answer in the tenant of their path: the list, its summary, and the relations
 * of its records. Every kind of caller gets the same over REST and GraphQL.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  accounts,
  anyOf,
  anyone,
  defineResource,
  id,
  integer,
  member,
  reference,
  role,
  text,
  user,
} from '../../src/index.ts'
import { startService, type TestResponse } from '../../src/testing/index.ts'
import { clubs, memberships, teamMembers, teams, tenancy, users } from '../clubhouse/clubhouse.ts'

/** The world reads the posts of a club in its path, and the replies to them. */
const posts = defineResource({
  name: 'post',
  path: '/posts',
  tenant: { by: 'clubId', public: true },
  fields: {
    id: id(),
    clubId: reference('club', { onDelete: 'delete' }),
    topicId: reference('topic', { onDelete: 'clear' }),
    kind: text({ required: true, maxLength: 20 }),
    hearts: integer({ default: 0 }),
  },
  list: { style: 'page', sortable: ['kind'], filterable: ['kind'] },
  access: { read: anyone, write: member('COACH') },
  children: { replies: { resource: 'reply', by: 'postId' } },
})
const replies = defineResource({
  name: 'reply',
  path: '/replies',
  tenant: { by: 'postId', public: true },
  fields: { id: id(), postId: reference('post', { required: true, onDelete: 'delete' }), text: text() },
  list: { style: 'page' },
  access: { read: anyone, write: member('COACH') },
})
/** Of no club: the posts about it are of many. */
const topics = defineResource({
  name: 'topic',
  path: '/topics',
  fields: { id: id(), title: text({ required: true }) },
  list: { style: 'page' },
  access: { read: anyone, create: user },
  children: { posts: { resource: 'post', by: 'topicId' } },
})
/** Of members alone. */
const fines = defineResource({
  name: 'fine',
  path: '/fines',
  tenant: 'clubId',
  fields: { id: id(), clubId: reference('club', { onDelete: 'delete' }), kind: text(), hearts: integer() },
  list: { style: 'page', sortable: ['kind'], filterable: ['kind'] },
  access: { read: anyOf([member(), role('SUPPORT')]), write: member('COACH') },
})
const club = {
  ...clubs,
  children: { ...clubs.children, posts: { resource: 'post', by: 'clubId' }, fines: { resource: 'fine', by: 'clubId' } },
}
const keyed = accounts({
  roles: ['USER', 'SUPPORT', 'ADMIN'],
  operator: 'ADMIN',
  users,
  keys: { fields: { clubId: reference('club', { onDelete: 'delete' }) } },
})
const { events: _none, ...ofClub } = club.children
const service = await startService([
  { ...club, children: ofClub },
  memberships,
  teams,
  teamMembers,
  posts,
  replies,
  topics,
  fines,
  tenancy,
  ...keyed,
])
after(() => service.stop())

type Caller = { readonly token?: string; readonly key?: string }
const [ann, bob, eve] = [await service.person(), await service.person(), await service.person()]
const support = await service.person('SUPPORT')
async function clubWith(name: string, people: readonly { id: string }[]): Promise<string> {
  const clubId = String((await service.make('club', { name })).id)
  for (const { id: userId } of people)
    await service.make('membership', { clubId, userId, role: 'COACH', state: 'ACTIVE' })
  return clubId
}
const rowing = await clubWith('Rowing', [ann, bob])
const chess = await clubWith('Chess', [ann])
const topicId = String((await service.make('topic', { title: 'Spring' })).id)
for (const [clubId, kinds] of [
  [rowing, ['news', 'news', 'call']],
  [chess, ['news', 'poll']],
] as const)
  for (const kind of kinds) {
    const post = await service.make('post', { clubId, kind, hearts: 2, topicId })
    await service.make('reply', { postId: String(post.id), text: `about ${kind}` })
    await service.make('fine', { clubId, kind, hearts: 2 })
  }
const key = await service.key(ann, { clubId: rowing })
const nothing = '01926e0f-0000-7000-8000-000000000000'

const callers: Readonly<Record<string, Caller>> = {
  'anonymous callers': {},
  strangers: eve,
  'members of one club': bob,
  'members of both clubs': ann,
  'operators above clubs': support,
  'keys of a club': { key },
}
const rest = (path: string, by: Caller) => service.ask('GET', `/api/v1${path}`, by)
async function graphql(query: string, by: Caller) {
  const { status, body, text } = await service.ask('POST', '/graphql', { ...by, body: { query } })
  assert.equal(status, 200, text)
  return body as { data: Record<string, never> | null; errors?: { message: string }[] }
}
/** A refusal by its sentence, as GraphQL says it, or what was found. */
const told = ({ status, body }: TestResponse, found: () => unknown) => {
  if (status === 200) return found()
  return status === 401 ? 'Authentication required' : body.error
}
const toldByGraphql = ({ data, errors }: Awaited<ReturnType<typeof graphql>>, found: (data: never) => unknown) =>
  errors ? errors[0]?.message : found(data as never)

type Group = { kind: string; count: number; sum: { hearts: number } }
type Shown = {
  readonly kind: string
  readonly replies: { readonly text: string; readonly post: { readonly kind: string } }[]
  readonly topic: { readonly title: string; readonly posts: { readonly kind: string }[] }
  readonly posts?: { readonly kind: string }[]
}
type Page = { readonly data: Shown[] }
const countsOf = (kinds: readonly string[]) =>
  [...new Set(kinds)].sort().map((kind) => [kind, kinds.filter((one) => one === kind).length])

/** The list and its summary at both protocols, each as the number of records of each kind. */
async function fourAnswers(name: 'posts' | 'fines', clubId: string, by: Caller) {
  const field = name === 'posts' ? 'clubPosts' : 'clubFines'
  const list = await rest(`/clubs/${clubId}/${name}?sort=kind`, by)
  const summary = await rest(`/clubs/${clubId}/${name}/summary?group=kind&sum=hearts&sort=kind`, by)
  const listed = await graphql(`{ ${field}(clubId: "${clubId}", sort: "kind") { data { kind } } }`, by)
  const asked = `${field}Summary(clubId: "${clubId}", groupBy: [kind], sort: "kind") { kind count sum { hearts } }`
  const summed = await graphql(`{ ${asked} }`, by)
  const ofList = ({ data }: Page) => countsOf(data.map(({ kind }) => kind))
  const ofGroups = (groups: readonly Group[]) =>
    groups.map(({ kind, count, sum }) => {
      assert.equal(sum.hearts, count * 2)
      return [kind, count]
    })
  return [
    told(list, () => ofList(list.body)),
    told(summary, () => ofGroups(summary.body.data)),
    toldByGraphql(listed, (data: Record<string, Page>) => ofList(data[field] as Page)),
    toldByGraphql(summed, (data: Record<string, Group[]>) => ofGroups(data[`${field}Summary`] as Group[])),
  ]
}

describe('a list below a tenant, and its summary', () => {
  const inRowing = [
    ['call', 1],
    ['news', 2],
  ]
  const inChess = [
    ['news', 1],
    ['poll', 1],
  ]
  const missing = 'Club not found'
  const noToken = 'Authentication required'
  const namesTwo = 'The request names one club by its key or header, and another by its path'
  const expected: Readonly<Record<string, readonly (readonly [posts: unknown, fines: unknown])[]>> = {
    'anonymous callers': [
      [inRowing, noToken],
      [inChess, noToken],
      [missing, noToken],
    ],
    strangers: [
      [inRowing, missing],
      [inChess, missing],
      [missing, missing],
    ],
    'members of one club': [
      [inRowing, inRowing],
      [inChess, missing],
      [missing, missing],
    ],
    'members of both clubs': [
      [inRowing, inRowing],
      [inChess, inChess],
      [missing, missing],
    ],
    'operators above clubs': [
      [inRowing, inRowing],
      [inChess, inChess],
      [missing, missing],
    ],
    'keys of a club': [
      [inRowing, inRowing],
      [namesTwo, namesTwo],
      [namesTwo, missing],
    ],
  }
  for (const [who, caller] of Object.entries(callers))
    it(`answer ${who} alike over REST and GraphQL`, async () => {
      const places = [rowing, chess, nothing]
      for (const [i, clubId] of places.entries())
        for (const [j, name] of (['posts', 'fines'] as const).entries()) {
          const answers = await fourAnswers(name, clubId, caller)
          for (const one of answers)
            assert.deepEqual(
              one,
              answers[0],
              `${name} of ${['rowing', 'chess', 'nothing'][i]}: ${JSON.stringify(answers)}`,
            )
          assert.deepEqual(answers[0], expected[who]?.[i]?.[j], `${name} of ${i}`)
        }
    })
})

describe('the relations of records that a list below a tenant shows', () => {
  const selected = 'kind replies { text post { kind } } topic { title posts { kind } }'
  const picked = ({ kind, replies, topic }: Shown) => ({
    kind,
    replies: replies.map(({ text, post }) => ({ text, post: { kind: post.kind } })),
    topic: { title: topic.title, posts: topic.posts.map((one) => ({ kind: one.kind })) },
  })
  for (const [who, caller] of Object.entries(callers))
    it(`show ${who} those of the tenant, over REST and GraphQL`, async () => {
      const { status, body, text } = await rest(
        `/clubs/${rowing}/posts?sort=kind&expand=replies.post,topic.posts`,
        caller,
      )
      assert.equal(status, 200, text)
      const wanted = body.data.map(picked)
      assert.deepEqual(wanted[0], {
        kind: 'call',
        replies: [{ text: 'about call', post: { kind: 'call' } }],
        topic: { title: 'Spring', posts: [{ kind: 'news' }, { kind: 'news' }, { kind: 'call' }] },
      })
      const found = await graphql(`{ clubPosts(clubId: "${rowing}", sort: "kind") { data { ${selected} } } }`, caller)
      assert.deepEqual(found.errors, undefined)
      assert.deepEqual((found.data?.clubPosts as unknown as Page).data, wanted)
    })

  it('stay apart where one document names two tenants', async () => {
    const posts = (clubId: string) => `clubPosts(clubId: "${clubId}", sort: "kind") { data { ${selected} } }`
    const both = await graphql(
      `{ one: ${posts(rowing)} other: ${posts(chess)} topics { data { posts { kind } } } }`,
      ann,
    )
    const { one, other, topics } = both.data as unknown as Record<string, { data: Shown[] }>
    const kinds = (shown: Shown | undefined) => shown?.posts?.map(({ kind }) => kind)
    const below = ({ data }: { data: Shown[] }) => kinds(data[0]?.topic as unknown as Shown)
    assert.deepEqual(
      [below(one as never), below(other as never), kinds(topics?.data[0])],
      [
        ['news', 'news', 'call'],
        ['news', 'poll'],
        ['news', 'news', 'call', 'news', 'poll'],
      ],
    )
  })
})
