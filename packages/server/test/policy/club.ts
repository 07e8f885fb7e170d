/** A small club of teams and players, with random records: what random rules are asked about. */
import fc from 'fast-check'
import {
  anyOf,
  anyone,
  choice,
  defineResource,
  id,
  integer,
  owner,
  reference,
  text,
  textList,
  timestamp,
  user,
  where,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { anonymous, type Principal } from '../../src/resource/principal.ts'
import { resources } from '../application/resources/index.ts'

export const teams = defineResource({
  name: 'team',
  path: '/teams',
  fields: {
    id: id(),
    parentId: reference('team', { onDelete: 'clear' }),
    leaderId: reference('member', { onDelete: 'clear' }),
    level: integer(),
  },
  list: { style: 'page' },
  children: { players: { resource: 'player', by: 'teamId' }, squads: { resource: 'team', by: 'parentId' } },
  access: {
    read: anyOf([owner('leaderId'), where({ level: { gte: 2 } })]),
    update: owner('leaderId'),
    create: user,
  },
})

export const players = defineResource({
  name: 'player',
  path: '/players',
  fields: {
    id: id(),
    teamId: reference('team', { onDelete: 'clear' }),
    userId: reference('member', { onDelete: 'clear' }),
    state: choice(['DRAFT', 'ACTIVE', 'GONE']),
    nick: text(),
    motto: text(),
    score: integer(),
    best: integer(),
    tags: textList(),
    since: timestamp(),
    until: timestamp(),
  },
  list: { style: 'page' },
  access: { read: anyone, create: user },
})

export const clubCatalog = makeCatalog([...resources, teams, players])

export type ClubRow = Readonly<Record<string, unknown>> & { readonly id: string }
export type Club = { readonly team: readonly ClubRow[]; readonly player: readonly ClubRow[] }
export type ClubKind = keyof Club
export const clubTime = '2026-01-15T12:00:00.000Z'

/** A number as an id, of a kind that ids may have. */
const idOf = (kind: number, n: number) => `01926e0f-0000-7000-800${kind}-${String(n).padStart(12, '0')}`

export const people: readonly string[] = [1, 2, 3].map((n) => idOf(1, n))
export const words = ['alpha', 'Beta', 'al', 'zeta']
export const times = ['2026-01-15T11:59:59.000Z', clubTime, '2026-01-15T12:00:01.000Z']

const roles = clubCatalog.roles.names

export const clubCallers: readonly Principal[] = [
  anonymous,
  ...[
    [people[0], roles[0], 'alpha'],
    [people[1], roles.at(-1), null],
  ].map(
    ([userId, held, name]): Principal => ({
      kind: 'user',
      userId: userId as string,
      role: held as string,
      via: 'token',
      scopes: null,
      user: { name },
    }),
  ),
]

const orNull = <T>(...values: readonly T[]) => fc.constantFrom<T | null>(null, ...values)
const teamIds = [1, 2, 3, 4].map((n) => idOf(2, n))

/** Teams in a tree of two levels, and players of them. */
export const randomClub: fc.Arbitrary<Club> = fc
  .record({
    team: fc.tuple(
      ...teamIds.map((own, i) =>
        fc.record({
          id: fc.constant(own),
          parentId: orNull(...teamIds.slice(0, i)),
          leaderId: orNull(...people),
          level: orNull(0, 1, 2, 3),
        }),
      ),
    ),
    player: fc.array(
      fc.record({
        teamId: orNull(...teamIds),
        userId: orNull(...people),
        state: orNull('DRAFT', 'ACTIVE', 'GONE'),
        nick: orNull(...words),
        motto: orNull(...words),
        score: orNull(0, 1, 2, 3),
        best: orNull(0, 1, 2, 3),
        tags: fc.constantFrom<readonly string[]>(['alpha'], ['Beta', 'zeta'], []),
        since: orNull(...times),
        until: orNull(...times),
      }),
      { minLength: 12, maxLength: 20 },
    ),
  })
  .map(({ team, player }) => ({
    team,
    player: player.map((one, i) => ({ ...one, id: idOf(3, i) })),
  }))
