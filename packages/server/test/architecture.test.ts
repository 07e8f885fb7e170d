/**
 * The architecture as rules: which rooms may import which, and where SQL, statuses and the
 * environment may appear. One regular expression reads the imports.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { rooms, roomsTable } from './rooms.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
const textOf = new Map(source.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

/** The files of the engine that a file imports, as `src/…`. */
function importsOf(file: string): string[] {
  const found = (textOf.get(file) ?? '').matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)
  return [...found].map((match) => relative(root, join(root, dirname(file), match[1] as string)))
}

/** `src/rest/parse-operation.ts` → `rest`, `src/config.ts` → `config`. */
function placeOf(file: string): string {
  const [, first = '', second] = file.split('/')
  return second === undefined ? first.replace('.ts', '') : first
}

/** OpenAPI and the pages describe REST's routes, from the same list that serves them. */
const described = ['src/rest/route.ts', 'src/rest/file-routes.ts', 'src/rest/live-routes.ts']

/** The forms of a request and its answer, without a server: types alone. */
const requests = 'src/http/messages/exchange.ts'

test('imports point one way', () => {
  const wrong = source.flatMap((file) => {
    const place = placeOf(file)
    const may = rooms[place]?.may
    if (!may) return [`${file}: test/rooms.ts does not say what src/${place} may import`]
    const isAllowed = (target: string) => {
      const to = placeOf(target)
      if (to === place || may.includes(to)) return true
      if (place === 'endpoint') return target === requests
      return ['openapi', 'pages', 'mcp'].includes(place) && described.includes(target)
    }
    return importsOf(file)
      .filter((target) => !isAllowed(target))
      .map((target) => `${file} imports ${target}`)
  })
  assert.deepEqual(wrong, [])
})

test('the logic and the steps of accounts know no HTTP: their routes do', () => {
  const reached = new Set(
    ['identity', 'without-users', 'account-steps', 'own-actions', 'declare-accounts'].map(
      (name) => `src/accounts/${name}.ts`,
    ),
  )
  for (const file of reached) for (const next of loadedWith(file)) reached.add(next)
  assert.deepEqual(
    [...reached].filter((file) => placeOf(file) === 'http'),
    [],
  )
})

test('ARCHITECTURE.md shows the table of the rooms', () => {
  const file = join(root, '../../ARCHITECTURE.md')
  const text = readFileSync(file, 'utf8')
  const shown = /\| Room \|[\s\S]*?(?=\n\n)/
  if (process.env.UPDATE) writeFileSync(file, text.replace(shown, roomsTable))
  else assert.equal(shown.exec(text)?.[0], roomsTable(), 'UPDATE=1 npm test -- architecture writes it anew')
})

test('a folder with more than twenty files is about one subject', () => {
  const counts = Map.groupBy(source, dirname)
  const large = [...counts].filter(([folder, files]) => files.length > 20 && !ofOneSubject.has(folder))
  assert.deepEqual(
    large.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  )
  assert.ok((counts.get('src')?.length ?? 0) <= 6, 'at most six files stand beside the rooms')
})

/** Folders with more files than others that are about one subject. */
const ofOneSubject = new Set(['src/storage/sql'])

const interfaceOfStorage = ['storage', 'wrap-storage', 'stored-effects', 'stored-jobs', 'changes', 'log-replay'].map(
  (name) => `src/storage/${name}.ts`,
)
/** Data derived from the change log, in terms of that interface. */
const derived = 'src/storage/derived/'

test('nobody but the assembly and the configuration knows that there are several databases', () => {
  const wrong = source
    .filter(
      (file) => !file.startsWith('src/storage/') && !['service', 'cli', 'config', 'backup'].includes(placeOf(file)),
    )
    .flatMap((file) =>
      importsOf(file)
        .filter(
          (target) =>
            target.startsWith('src/storage/') && !target.startsWith(derived) && !interfaceOfStorage.includes(target),
        )
        .map((target) => `${file} imports ${target}`),
    )
  assert.deepEqual(wrong, [])
})

test('whatever writes goes through the door: nobody else opens a transaction of the storage', () => {
  const opens = /\bstorage\b[^\n]*\.transaction\(/
  const wrong = [...textOf].filter(
    ([file, text]) => !/^src\/(storage|record)\//.test(file) && opens.test(commentless(text)),
  )
  assert.deepEqual(
    wrong.map(([file]) => file),
    [],
  )
})

test('what a caller asks for is written under its rule for results: one file opens the transactions of operations', () => {
  // The others write what the engine itself decides
  const own = ['write-transaction', 'single', 'expire', 'remove-some']
  const found = [...textOf].filter(
    ([file, text]) => /^src\/perform\//.test(file) && /records\.transaction\(/.test(commentless(text)),
  )
  assert.deepEqual(found.map(([file]) => basename(file, '.ts')).toSorted(), own.toSorted())
})

test('a database does not know another, and nobody reaches into its folder or names it but the one list', () => {
  const folders = globSync('src/storage/*/kind.ts', { cwd: root }).map(dirname)
  const isIn = (folder: string, file: string) => file.startsWith(`${folder}/`)
  const isOfAnother = (file: string) => (target: string) =>
    folders.some((folder) => isIn(folder, target) && !isIn(folder, file))
  const wrong = source
    .filter((file) => placeOf(file) !== 'testing')
    .flatMap((file) => {
      const others = importsOf(file).filter(isOfAnother(file))
      if (file === 'src/storage/open.ts') return others.filter((target) => !target.endsWith('/kind.ts'))
      const named = folders.some((folder) => isIn(folder, file))
        ? null
        : /sqlite|postgres/i.exec(commentless(textOf.get(file) ?? ''))
      return [...others, ...(named ? [named[0]] : [])].map((what) => `${file} knows ${what}`)
    })
  assert.ok(folders.length > 1)
  assert.deepEqual(wrong, [])
})

/**
 * The files that are loaded with a file: imports of types and imports on demand are not among them.
 */
function loadedWith(file: string): string[] {
  const text = (textOf.get(file) ?? '').replace(
    /import type [^;]*? from '[^']+'|export type \{[^}]*\} from '[^']+'/g,
    '',
  )
  return [...text.matchAll(/from '(\.{1,2}\/[^']+)'/g)].map((match) =>
    relative(root, join(root, dirname(file), match[1] as string)),
  )
}

/** The files whose types or values a file imports when it is read. */
function namedIn(file: string): string[] {
  const found = (textOf.get(file) ?? '').matchAll(/from '(\.{1,2}\/[^']+)'/g)
  return [...found].map((match) => relative(root, join(root, dirname(file), match[1] as string)))
}

test('the command line loads what a command needs when it runs', () => {
  const loaded = new Set(['src/cli/program.ts'])
  for (const file of loaded) for (const next of loadedWith(file)) loaded.add(next)
  // The words of commands, which features bring; and what asks for a password at a terminal.
  const isOfCommands = (file: string) =>
    /^src\/accounts\/(.*-commands|account-console|users\/(ask-password|named-user))\.ts$/.test(file)
  const rooms = new Set([...loaded].filter((file) => !isOfCommands(file)).map(placeOf))
  const late = [
    'record',
    'accounts',
    'perform',
    'response-cache',
    'http',
    'rest',
    'graphql',
    'openapi',
    'develop',
    'testing',
  ]
  assert.deepEqual(
    late.filter((room) => rooms.has(room)),
    [],
  )
})

test('there are no cycles between the files that are loaded', () => {
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) return void cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file)) return
    for (const next of loadedWith(file)) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of source) visit(file, [])
  assert.deepEqual(cycles, [])
})

test('no circle of imports, those of types included, has more than three files', () => {
  const reach = new Map(
    source.map((file) => {
      const reached = new Set(namedIn(file))
      for (const one of reached) for (const next of namedIn(one)) reached.add(next)
      return [file, reached]
    }),
  )
  const circles = source.map((file) =>
    [...(reach.get(file) ?? [])]
      .filter((one) => reach.get(one)?.has(file))
      .toSorted()
      .join(' '),
  )
  assert.deepEqual(
    [...new Set(circles)].filter((circle) => circle.split(' ').length > 3),
    [],
  )
})

type Ban = { readonly what: string; readonly pattern: RegExp; readonly except: (file: string) => boolean }
const inside =
  (...folders: string[]) =>
  (file: string) =>
    folders.some((folder) => file.startsWith(`src/${folder}`))
/** Features have routes, what routes answer, and pages that ask. */
const isOfRoutes = (file: string) => /^src\/(?:accounts|files)\/.*-(routes|responses?|form|script)\.ts$/.test(file)
const isEdge = inside(
  'outgoing/',
  'errors.ts',
  'operate/',
  'events/answer-changes.ts',
  'events/live/open-stream.ts',
  'webhooks/outcome-of.ts',
  'jobs/job-routes.ts',
  'files/serving/',
  'rest/',
  'graphql/',
  'openapi/',
  'pages/',
  'http/',
  'service/http-routes.ts',
  'client/',
  'testing/',
)
const bans: readonly Ban[] = [
  {
    what: 'SQL',
    pattern:
      /\b(SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|INDEX)|PRAGMA)\b|from 'kysely'|node:sqlite/,
    except: inside('storage/', 'testing/'),
  },
  {
    what: 'the door to a database file',
    pattern: /new (DatabaseSync|Database|sqlite\.\w+)\(|import \{[^}]*\bDatabaseSync\b[^}]*\} from 'node:sqlite'/,
    except: inside('storage/sqlite/file/', 'testing/database.ts'),
  },
  {
    what: 'the environment',
    pattern: /process\.env\b/,
    except: inside('config.ts', 'testing/', 'create/node-found.ts'),
  },
  {
    what: 'a status',
    pattern: /\bstatus(es|Code)?\b\s*(:|===|!==|=)\s*[1-5]\d\d\b|\bjson\([1-5]\d\d\b|writeHead\([1-5]\d\d\b/,
    except: (file) => isOfRoutes(file) || isEdge(file),
  },
  {
    what: 'the name of a field type',
    pattern: /field\??\.type\.name\s*[!=]==|\?\.type\.name\s*[!=]==/,
    except: inside('resource/fields/'),
  },
  {
    what: 'a spread of the storage, which hides what it passes on',
    pattern: /\.\.\.(\w+\.)?(storage|urgent)\b/,
    except: inside('storage/'),
  },
  {
    what: "a reach into Node's insides",
    pattern:
      /\b_(header|headerSent|destroy|events|handle|httpMessage)\b|pauseOnConnect:|\.listeners\('data'\)|Server\.prototype/,
    except: inside('http/node/'),
  },
  { what: 'a default export', pattern: /^export default\b/m, except: () => false },
  {
    what: 'any',
    pattern: /(:\s*any\b(?!\()|\bas any\b|<any>)/,
    except: (file) => /biome-ignore lint\/suspicious\/noExplicitAny/.test(textOf.get(file) ?? ''),
  },
  {
    what: 'a class that is no error',
    pattern: /^(export )?class \w+\b(?! extends \w*Error\b)/m,
    except: inside('policy/policy.ts', 'record/prepared-record.ts', 'storage/sql/shape.ts'),
  },
  { what: 'an enum', pattern: /^\s*(export )?(const )?enum\s/m, except: () => false },
  { what: 'a document that an installed package does not have', pattern: /\bdocs\/\w+\.md/, except: () => false },
  {
    what: 'the name of a role',
    pattern: /\b(?:USER|EDITOR|ADMIN)\b/,
    // A variable and an address have such a part.
    except: (file) => ['src/settings/federation-settings.ts', 'src/storage/postgres/connect/setup.ts'].includes(file),
  },
  { what: 'the folder of the session that wrote it', pattern: /\/work\//, except: () => false },
]
const commentless = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')

for (const { what, pattern, except } of bans) {
  test(`${what} is only where it belongs`, () => {
    const found = [...textOf].flatMap(([file, text]) => {
      const match = except(file) ? null : pattern.exec(commentless(text))
      return match ? [`${file}: ${match[0]}`] : []
    })
    assert.deepEqual(found, [])
  })
}

test('the engine knows no resource by name', async () => {
  const { resources: all } = await import('./application/resources/index.ts')
  const { people } = await import('./application/resources/members.ts')
  // Its own tables it declares itself, and their marks name their fields.
  const own = people.filter((one) => one !== people.users).map(({ name }) => name as string)
  const resources = all.filter(({ name }) => !own.includes(name))
  const { pluralOf } = await import('../src/resource/words/names.ts')
  // Words of declarations: the rule, and the memberships of a tenancy.
  const words = ['member', 'members']
  const names = resources
    .flatMap(({ name, plural, path }) => [name, plural ?? pluralOf(name), path ?? name])
    .filter((name) => !words.includes(name))
  const found = source.flatMap((file) => {
    const text = /-tables?\.ts$/.test(file) ? '' : commentless(textOf.get(file) ?? '')
    return names
      .filter((name) => text.includes(`'${name}'`) || text.includes(`"${name}"`) || text.includes(`\`${name}\``))
      .map((name) => `${file}: ${name}`)
  })
  assert.deepEqual(found, [])
})

test('the engine and its tests import no application', () => {
  const repository = join(root, '../..')
  const found = globSync('{src,test}/**/*.ts', { cwd: root }).flatMap((file) => {
    const imports = readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|export)\s[^'"`;=]*'(\.[^']+)'$/gm)
    return [...imports]
      .map((match) => relative(repository, join(root, dirname(file), match[1] as string)))
      .filter((target) => !/^(packages|release)\//.test(target))
      .map((target) => `${file} imports ${target}`)
  })
  assert.deepEqual(found, [])
})

test('what runs in browsers imports the package of its requests, and nothing else', () => {
  const found = source
    .filter((file) => placeOf(file) === 'client')
    .flatMap((file) => [
      ...(textOf.get(file) ?? '').matchAll(/^(?:import|export) (?!type\b)[^';=]*? from '([^.'][^']*)'$/gm),
    ])
    .map((match) => match[1])
  assert.deepEqual([...new Set(found)], ['openapi-fetch'])
})

test('files say at their head what lives there, in one to five lines and perhaps a table', () => {
  const wrong = source.filter((file) => {
    const header = /^(?:#!.*\n)?(\/\*\*[\s\S]*?\*\/)/.exec(textOf.get(file) ?? '')?.[1]
    const lines = header?.split('\n').filter((line) => /^(\/\*\*| \*) \S/.test(line)) ?? []
    return lines.length < 1 || lines.length > 5
  })
  assert.deepEqual(wrong, [])
})

test('no file is named after what it is instead of what it is about', () => {
  const empty = /^(utils?|helpers?|common|types|manager|handler)\.ts$/
  assert.deepEqual(
    source.filter((file) => empty.test(basename(file))),
    [],
  )
})

test('no two rooms have a file of the same name, but for the twins of the databases and the interface that they implement', () => {
  const databases = globSync('src/storage/*/kind.ts', { cwd: root }).map(dirname)
  // The package has several entries, and all are called so.
  const files = source.filter((file) => basename(file) !== 'index.ts')
  const homeOf = (file: string) => databases.find((folder) => file.startsWith(`${folder}/`)) ?? 'the rest'
  const isTwin = (a: string, b: string) => {
    if (a === b || basename(a) !== basename(b)) return false
    const [home, other] = [homeOf(a), homeOf(b)]
    return (
      home === other ||
      ([a, b].every((file) => file !== 'src/storage/sql/dialect.ts') && [home, other].includes('the rest'))
    )
  }
  const wrong = files.filter((file) => files.some((one) => isTwin(file, one)))
  assert.deepEqual(wrong, [])
})
