/**
 * The list of reserved words: it has every name of the engine that an application's name may meet.
 * Words that cannot give way are refused; `words-that-give-way.test.ts` tries the others.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
} from 'graphql'
import { pathsOf } from '../../src/endpoint/define-route.ts'
import { makeSchema } from '../../src/graphql/schema/make-schema.ts'
import {
  accounts,
  defineAction,
  defineTenancy,
  equals,
  id,
  owner,
  password,
  reference,
  roleField,
  text,
  user,
  verifyAddress,
} from '../../src/index.ts'
import { makeOpenapi } from '../../src/openapi/make-openapi.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import { engineOperations, wholeKinds } from '../../src/resource/operation-kind.ts'
import { kebabOf } from '../../src/resource/words/names.ts'
import type { NamePosition } from '../../src/resource/words/reserve.ts'
import { reservedWords } from '../../src/resource/words/reserved-words.ts'
import { servedPaths } from '../../src/resource/words/served-paths.ts'
import { makeSummaryRoutes } from '../../src/rest/lists/summary-routes.ts'
import { makeBulkRoutes, makeRoutes, makeUpsertRoutes } from '../../src/rest/route.ts'
import { engineRoutes } from '../../src/service/engine-routes.ts'
import { resources as library } from '../application/resources/index.ts'
import { declare, mistakesOf, part, thing } from '../mistakes/declaring.ts'

const settings = {
  ...({ currency: 'USD', signUp: 'open' } as const),
  ...{ loginLink: true, publishesKeys: true, consolePath: '/console', oidcProviders: ['corp'] },
}
const gadget = thing({
  name: 'gadget',
  fields: { sku: text({ unique: true }) },
  list: { style: 'page', bulk: true },
  access: { list: user, create: user, replace: user, update: user },
  upsert: ['sku'],
})
const catalog = makeCatalog([...library, gadget])
const person = declare({
  name: 'person',
  path: '/people',
  fields: {
    id: id(),
    email: text({ required: true, unique: true }),
    password: password({ required: true }),
    role: roleField({ default: 'USER' }),
  },
  access: { get: user, verify: owner('id') },
  actions: { verify: verifyAddress },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
})
const club = declare({ name: 'club', path: '/clubs', fields: { id: id() }, access: { get: user } })
const membership = declare({
  name: 'membership',
  fields: {
    id: id(),
    clubId: reference('club', { onDelete: 'delete' }),
    userId: reference('person', { onDelete: 'delete' }),
    role: roleField(),
  },
  access: {},
})
const tenancy = defineTenancy('club', {
  members: 'membership',
  user: 'userId',
  role: 'role',
  roles: ['OWNER'],
  invitations: user,
})
/** With all that accounts and tenants can have. */
const ofAccounts = makeCatalog([...accounts({ roles: ['USER'], users: person, keys: true }), club, membership, tenancy])
const context = { catalog, settings }
const apiPrefix = '/api/v1'

/** Names that the list need not have. */
const isEngines = (name: string) => name.startsWith('_')
const isListed = (at: NamePosition, word: string) => reservedWords.some((row) => row.at === at && row.word === word)
const untold = (at: NamePosition, words: Iterable<string>) =>
  [...new Set(words)].filter((word) => !isEngines(word) && !isListed(at, word))

type Mounted = { readonly mount: 'root' | 'api'; readonly path: string }
const mounted = (path: string): Mounted =>
  path.startsWith(`${apiPrefix}/`) ? { mount: 'api', path: path.slice(apiPrefix.length) } : { mount: 'root', path }

/** The engine's routes, but for those below the path of a table of accounts. */
const tablePaths = [...ofAccounts.resources.values()].flatMap(({ path }) => path ?? [])
const ownPaths = engineRoutes({ catalog: ofAccounts, settings })
  .flatMap(({ routes }) => routes.flatMap((route) => pathsOf(route).map((path) => ({ method: route.method, path }))))
  .filter(({ path }) => !tablePaths.some((one) => `${mounted(path).path}/`.startsWith(`${one}/`)))
const shapeOf = ({ method, path }: { method: string; path: string }) => `${method} ${path.replace(/:\w+/g, ':')}`

describe('the list of reserved words has', () => {
  it('the paths of the engine, and no others', () => {
    const served = ownPaths.map(({ path }) => mounted(path))
    const covers = (row: (typeof servedPaths)[number], { mount, path }: Mounted) =>
      row.path === path && (row.mount === 'both' || row.mount === mount)
    const isNew = ({ path }: Mounted) => path.split('/').some(isEngines)
    assert.deepEqual(
      served.filter((one) => !isNew(one) && !servedPaths.some((row) => covers(row, one))),
      [],
    )
    assert.deepEqual(
      servedPaths.filter((row) => !served.some((one) => covers(row, one))).map(({ path }) => path),
      [],
    )
  })

  it('the operations of a resource that the engine would answer at such a path', () => {
    const shapes = new Set(ownPaths.map(shapeOf))
    const firsts = new Set(ownPaths.map(({ path }) => `/${mounted(path).path.split('/')[1]}`))
    const sound = [...firsts].filter((path) => /^\/[a-z-]+$/.test(path))
    assert.ok(sound.includes('/auth') && sound.includes('/assets'))
    for (const path of sound)
      for (const atRoot of [false, true])
        for (const operation of engineOperations) {
          const declared = (at: string) => thing({ path: at, atRoot, access: { [operation]: user } })
          const routes = makeRoutes(makeCatalog([declared('/elsewhere')]))
          const meets = routes
            .map((route) => shapeOf(route).replace('/elsewhere', path))
            .some((shape) => shapes.has(shape) || shapes.has(shape.replace(/:$/, '*')))
          const refusals = mistakesOf([declared(path)])
          assert.equal(refusals.length, meets ? 1 : 0, `${path} ${operation} ${atRoot} ${refusals}`)
        }
    // No action or child of a resource has such a path. The console refuses resources at its own.
    assert.deepEqual(
      ownPaths.filter(({ path }) => /^\/[^/]+\/:\w+\//.test(mounted(path).path)),
      [],
    )
  })

  it('the segments that the engine adds to paths of resources', () => {
    const routes = [makeRoutes, makeBulkRoutes, makeUpsertRoutes, makeSummaryRoutes].flatMap((make) => make(catalog))
    const declared = [...catalog.resources.values()].flatMap(({ children, actionNames, path }) => [
      ...[...Object.keys(children), ...actionNames].map(kebabOf),
      ...(path === undefined ? [] : [path.slice(1)]),
    ])
    const segments = routes
      .filter(({ isSelf }) => !isSelf)
      .flatMap(({ path }) => mounted(path).path.split('/').slice(1))
      .filter((one) => !one.startsWith(':') && !declared.includes(one) && !isEngines(one))
    // No id has these forms, and nothing is declared in their place.
    assert.deepEqual(new Set(segments), new Set([...wholeKinds, 'summary']))
    assert.deepEqual(
      untold(
        'path',
        routes.filter(({ isSelf }) => isSelf).map(({ path }) => mounted(path).path),
      ),
      [],
    )
  })

  it('the query parameters of resources', () => {
    type Parameter = {
      readonly in?: string
      readonly name?: string
      readonly $ref?: string
      readonly explode?: boolean
    }
    const document = makeOpenapi(catalog, settings, engineRoutes(context)) as unknown as {
      readonly paths: Record<string, Record<string, { readonly parameters?: readonly Parameter[] }>>
      readonly components: { readonly parameters: Record<string, Parameter & { schema?: { properties?: object } }> }
    }
    const own = new Set(
      [...catalog.resources.values()].flatMap(({ fieldNames, list }) => [...fieldNames, ...Object.keys(list.filters)]),
    )
    const paths = new Set(
      [makeRoutes, makeSummaryRoutes, makeUpsertRoutes]
        .flatMap((make) => make(catalog))
        .map(({ path }) => path.replace(/:(\w+)/g, '{$1}')),
    )
    const names = Object.entries(document.paths)
      .filter(([path]) => paths.has(path))
      .flatMap(([, item]) => Object.values(item).flatMap(({ parameters = [] }) => parameters))
      .map(({ $ref, ...one }) =>
        $ref ? (document.components.parameters[$ref.split('/').at(-1) as string] ?? one) : one,
      )
      .filter((one) => one.in === 'query')
      .flatMap((one) => {
        const { properties } = (one as { schema?: { properties?: object } }).schema ?? {}
        return properties && one.explode ? Object.keys(properties) : [one.name ?? '']
      })
    assert.ok(names.includes('page') && names.includes('group') && names.includes('on'), names.join())
    assert.deepEqual(
      untold(
        'filter',
        names.filter((name) => !own.has(name.replace(/\[\w+\]$/, ''))),
      ),
      [],
    )
  })

  it("the engine's names in GraphQL", () => {
    const schema: GraphQLSchema = makeSchema(catalog, settings)
    const resources = [...catalog.resources.values()]
    const fieldsOf = (name: string) =>
      Object.keys((schema.getType(name) as GraphQLObjectType | GraphQLInputObjectType).getFields())
    const rest = (names: readonly string[], ...own: readonly Iterable<string>[]) => {
      const known = new Set(own.flatMap((some) => [...some]))
      return names.filter((name) => !known.has(name))
    }
    const added = resources.flatMap(({ typeName, fieldNames, relations }) =>
      schema.getType(typeName) ? rest(fieldsOf(typeName), fieldNames, Object.keys(relations)) : [],
    )
    assert.deepEqual(untold('relation', added), [])
    const joining = resources.flatMap(({ typeName, list, relations }) =>
      schema.getType(`${typeName}Filter`)
        ? rest(fieldsOf(`${typeName}Filter`), list.filterable, Object.keys(relations))
        : [],
    )
    assert.deepEqual(untold('relation', joining), [])
    const lists = Object.values((schema.getQueryType() as GraphQLObjectType).getFields())
    const filters = resources.flatMap(({ list, name }) => [...Object.keys(list.filters), `${name}Id`])
    const args = lists
      .filter(({ args }) => args.some(({ name }) => name === 'limit'))
      .flatMap(({ args }) => args.map(({ name }) => name))
    assert.deepEqual(untold('filter', rest(args, filters)), [])
    const made = resources.flatMap(({ typeName }) => typeName)
    const isMade = ({ name }: GraphQLNamedType) => name.endsWith('Filter') || made.some((type) => name.includes(type))
    const types = Object.values(schema.getTypeMap()).filter((type) => !isMade(type) && !type.name.startsWith('__'))
    assert.deepEqual(
      untold(
        'type',
        types.map(({ name }) => name),
      ),
      [],
    )
    const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      isObjectType(type) ? Object.keys(type.getFields()) : [],
    )
    const declared = resources.flatMap(({ name, plural, typeName, graphql, children }) => [
      name,
      plural,
      typeName,
      ...Object.keys({ ...graphql.query, ...graphql.mutation }),
      ...Object.keys(children),
    ])
    const isOfResource = (root: string) =>
      declared.some((word) => root === word || root.toLowerCase().includes(word.toLowerCase()))
    assert.deepEqual(
      untold(
        'query',
        roots.filter((root) => !isOfResource(root)),
      ),
      [],
    )
  })

  it('the tables of accounts', () => {
    const list = [...accounts({ roles: ['USER'], keys: true })] as unknown as readonly DeclaredResource[]
    const names = list.slice(1).map(({ name }) => name)
    assert.deepEqual(
      new Set(names),
      new Set(reservedWords.filter(({ at }) => at === 'resource').map(({ word }) => word)),
    )
    for (const name of names) {
      const own = thing({ name, plural: `${name}Things` })
      const [first = '', ...more] = mistakesOf([own, ...list])
      assert.match(
        first,
        new RegExp(
          `^${name}: name: the engine uses this name for a table of accounts \\(.+reserved-words.test.ts\\); choose another`,
        ),
      )
      assert.deepEqual(more, [])
    }
  })
})

const run = async () => undefined
/** A declaration with the word at the position, and the place that start names. */
const refusedBy: Readonly<Record<NamePosition, (word: string) => readonly [DeclaredResource, place: string]>> = {
  field: (word) => [thing({ fields: { [word]: text() } }), `thing: field "${word}"`],
  input: (word) => [
    thing({ access: { list: user, mend: user }, actions: { mend: defineAction({ input: { [word]: text() }, run }) } }),
    `thing: actions.mend.input.${word}`,
  ],
  filter: (word) => [
    thing({ list: { style: 'page', filters: { [word]: equals('name') } } }),
    `thing: list.filters.${word}`,
  ],
  relation: () => assert.fail('a relation gives way'),
  query: () => assert.fail('a query gives way'),
  child: (word) => [thing({ children: { [word]: { resource: 'part', by: 'thingId' } } }), `thing: children.${word}`],
  action: (word) => [
    thing({ access: { list: user }, actions: { [word]: defineAction({ run }) } }),
    `thing: actions.${word}`,
  ],
  type(word) {
    const name = word === 'ID' ? 'iD' : `${word[0]?.toLowerCase()}${word.slice(1)}`
    return [thing({ name }), `${name}: name`]
  },
  scope: (word) => [thing({ plural: word }), 'thing: plural'],
  resource: (word) => [thing({ name: word }), `${word}: name`],
  path: (word) => [thing({ path: word }), 'thing: path'],
}

describe('a reserved word that cannot give way', () => {
  const rows = reservedWords.filter(
    ({ outcome, only, at }) => outcome === undefined && only === undefined && at !== 'resource',
  )
  for (const { word, at, use } of rows)
    it(`${word} is refused as ${at}`, () => {
      const [declared, place] = refusedBy[at](word)
      const found = mistakesOf([declared, part()].slice(0, at === 'child' ? 2 : 1))
      const says = `${place}: the engine uses this name for ${use}; choose another`
      // An action also lacks a rule, where `access` has the word for another.
      assert.deepEqual(at === 'action' ? found.filter((one) => one === says) : found, [says])
    })

  it('credentials is refused where there are API keys', () => {
    const declared = thing({ plural: 'credentials' })
    assert.deepEqual(mistakesOf([declared]), [])
    const keys = accounts({ roles: ['USER'], keys: true })
    assert.deepEqual(mistakesOf([declared, ...keys]), [
      'thing: plural: the engine uses this name for the scope of API keys that may change log-ins; choose another',
    ])
  })

  it('currentPassword is refused as a field of users alone', () => {
    assert.deepEqual(mistakesOf([thing({ fields: { currentPassword: text() } })]), [])
    const members = library.find(({ identity }) => identity) as DeclaredResource
    const changed = { ...members, fields: { ...members.fields, currentPassword: text() } }
    const [found = ''] = mistakesOf(library.map((one) => (one === members ? changed : one)))
    assert.match(found, /field "currentPassword": the engine uses this name for the proof beside a new password/)
  })

  const begins = 'names that begin with _ are the engine\'s; only "_id" may be declared'
  for (const [what, declared, place] of [
    ['a field', thing({ fields: { _key: text() } }), 'field "_key"'],
    ['a filter', thing({ list: { style: 'page', filters: { _key: equals('name') } } }), 'list.filters._key'],
    ['a resource', thing({ name: '_thing' }), 'name'],
    ['a child', thing({ children: { _parts: { resource: 'part', by: 'thingId' } } }), 'children._parts'],
    ['an action', refusedBy.action('_mend')[0], 'actions._mend'],
    ['an input', refusedBy.input('_key')[0], 'actions.mend.input._key'],
  ] as const)
    it(`${what} does not begin with _`, () => {
      const name = what === 'a resource' ? '_thing' : 'thing'
      const others = what === 'a child' ? [part()] : []
      assert.ok(
        mistakesOf([declared, ...others]).includes(`${name}: ${place}: ${begins}`),
        mistakesOf([declared, ...others]).join('\n'),
      )
    })
})
