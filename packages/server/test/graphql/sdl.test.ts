/** The SDL matches the declarations, and its guards match their rules. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buildSchema, parse, print, visit } from 'graphql'
import { authArguments } from '../../src/graphql/schema/auth-directive.ts'
import { printSdl } from '../../src/graphql/schema/print-sdl.ts'
import {
  anyOf,
  anyone,
  apiKey,
  defineResource,
  id,
  onlyWhen,
  owner,
  reference,
  role,
  state,
  text,
  textList,
  through,
  user,
  where,
} from '../../src/index.ts'
import { admittedRoles } from '../../src/policy/passing-roles.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { makeRoles } from '../../src/resource/rules/role-order.ts'
import { resources } from '../application/resources/index.ts'

const settings = { currency: 'USD', signUp: 'open' } as const
/** Without descriptions, so that arguments stand in a line. */
const bare = (sdl: string) =>
  print(
    visit(parse(sdl), { leave: (node) => ('description' in node ? { ...node, description: undefined } : undefined) }),
  )
const sdlOf = (signUp: 'open' | 'closed' = 'open') => bare(printSdl(makeCatalog(resources), { ...settings, signUp }))

describe('the SDL', () => {
  it('says what each type and field is, and each way to group records', () => {
    const schema = buildSchema(printSdl(makeCatalog(resources), settings))
    const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
    const silent = types.flatMap((type) => {
      const values = 'getValues' in type && type.name.endsWith('Group') ? type.getValues() : []
      const fields = 'getFields' in type ? Object.values(type.getFields()) : values
      return [type, ...fields].filter(({ description }) => !description).map(({ name }) => `${type.name}: ${name}`)
    })
    assert.deepEqual(silent, [])
  })

  it('has the directive, and a guard at each field that has a rule', () => {
    const sdl = sdlOf()
    const lines = [
      'directive @auth(requires: Role = USER) on FIELD_DEFINITION',
      'me: Member! @auth\n',
      '): [Member!] @auth(requires: ADMIN)\n',
      '): [Article!]\n',
      'createArticle(input: CreateArticleInput!): Article! @auth\n',
      'deleteMember(id: ID!): Boolean @auth(requires: ADMIN)\n',
      'updateArticle(id: ID!, input: UpdateArticleInput!, version: Int): Article @auth\n',
      'deleteShelf(id: ID!, version: Int): Shelf\n',
      'scalar Money @specifiedBy(url: "/graphql/scalars#Money")',
      'createdAt: DateTime!\n',
      'enum Role {\n  USER\n  EDITOR\n  ADMIN\n}',
      'createMember(input: CreateMemberInput!): Member\n',
    ]
    for (const line of lines) assert.ok(sdl.includes(line), line)
    assert.doesNotMatch(sdl, /\b(hash|Renewal|import|export)\b/)
    for (const one of sdl.matchAll(/^(?:type|input) (\w+) \{([^}]*)\}/gm)) {
      if (/\bpassword\b/.test(one[2] ?? '')) assert.match(one[1] ?? '', /^(Create|Update|Replace)MemberInput$/)
    }
    assert.ok(buildSchema(sdl).getDirective('auth'))
  })

  it('follows the settings', () =>
    assert.match(sdlOf('closed'), /createMember\(input: CreateMemberInput!\): Member @auth\(requires: ADMIN\)/))

  it('derives each guard from its rule', () => {
    const self = owner('id')
    const table = [
      [anyone, null],
      [where({ published: true }), null],
      [user, 'USER'],
      [self, 'USER'],
      [role('USER'), 'USER'],
      [role('EDITOR'), 'EDITOR'],
      [anyOf([self, role('ADMIN')]), 'USER'],
      [anyOf([role('ADMIN'), role('EDITOR')]), 'EDITOR'],
      [anyOf([where({ published: true }), role('ADMIN')]), null],
      [through('parentId', anyOf([self, role('ADMIN')])), 'USER'],
      [apiKey(role('EDITOR')), 'EDITOR'],
      [onlyWhen((s) => s.signUp === 'open', anyone, role('ADMIN')), null],
      [onlyWhen((s) => s.signUp === 'closed', anyone, role('ADMIN')), 'ADMIN'],
    ] as const
    const part = defineResource({ name: 'part', fields: { id: id(), parentId: reference('part') }, access: {} })
    const catalog = { ...makeCatalog([part]), roles: makeRoles(['USER', 'EDITOR', 'ADMIN']) }
    const place = { catalog, settings, resource: catalog.get('part') }
    for (const [rule, guard] of table) {
      const admitted = admittedRoles(rule, place)
      const found = admitted && (authArguments(catalog.roles, admitted).requires ?? 'USER')
      assert.equal(found, guard, JSON.stringify(rule))
    }
  })

  it('is made of any declarations', () => {
    const shelf = defineResource({
      name: 'shelf',
      plural: 'shelves',
      path: '/shelves',
      fields: {
        id: id(),
        name: text({ required: true }),
        secret: text({ read: role('ADMIN') }),
        labels: textList(),
        mood: state(['in order', 'messy'], {
          default: 'messy',
          transitions: { tidy: { from: ['messy'], to: 'in order' } },
        }),
      },
      list: { style: 'page', search: ['name'] },
      access: { list: anyone, get: anyone, create: user, update: user, delete: role('ADMIN'), tidy: user },
      children: { jars: { resource: 'jar', by: 'shelfId' } },
      graphql: { query: { shelves: { operation: 'list', limit: 5, returns: 'list' }, shelfOf: 'get' } },
    })
    const jar = defineResource({
      name: 'jar',
      fields: { id: id(), shelfId: reference('shelf', { setBy: 'parent', onDelete: 'delete' }) },
      list: { style: 'page' },
      access: { list: anyone, get: anyone, create: user, update: user },
    })
    const sdl = bare(printSdl(makeCatalog([shelf, jar]), settings))
    for (const line of [
      '): [Shelf!]\n',
      'shelvesPage(',
      'shelfOf(id: ID!): Shelf\n',
      'shelf(id: ID!): Shelf\n',
      'tidyShelf(id: ID!, version: Int): Shelf @auth\n',
      'shelfJars(',
      'jar(shelfId: ID!, id: ID!): Jar\n',
      'secret: String\n',
      'mood: String!\n',
      'labels: [String!]!\n',
      'shelf: Shelf\n',
    ]) {
      assert.ok(sdl.includes(line), line)
    }
    assert.doesNotMatch(sdl, /updateJar|JarInput/)
    assert.ok(buildSchema(sdl))
  })
})
