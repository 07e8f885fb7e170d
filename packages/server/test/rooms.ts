/**
 * The rooms (folders) of the engine from the bottom up: the content of each, and its permitted
 * imports. The architecture test checks every import by this table, and ARCHITECTURE.md shows it.
 */

export type Room = { readonly holds: string; readonly may: readonly string[] }

const roots = ['errors', 'base', 'limits', 'observe', 'settings']
const core = [...roots, 'resource', 'value', 'operation']
const middle = [...core, 'config', 'policy', 'endpoint', 'storage', 'record', 'perform']
const edges = ['http', 'response-cache', 'rest', 'graphql', 'openapi', 'pages', 'mcp']
/** Each is one room, with its logic, its steps of writes, its routes and its commands. */
const features = ['accounts']

export const rooms: Readonly<Record<string, Room>> = {
  errors: { holds: 'the list of error codes, and the errors that carry them', may: [] },
  base: {
    holds: 'time, ids, names of hosts, languages, sizes in words, optional packages: what knows nothing of the service',
    may: ['errors'],
  },
  limits: { holds: 'every limit of the server', may: [] },
  observe: { holds: 'what is counted, traced and reported, and how it leaves', may: ['errors', 'base'] },
  resource: {
    holds: 'what a declaration is, its mistakes, the catalog; field types, rules, conditions, principals',
    may: ['errors', 'base'],
  },
  settings: { holds: 'the variables of the environment, a file a subject', may: ['errors', 'base', 'resource'] },
  value: { holds: 'strict JSON in, folded text to compare, represented values out', may: ['errors', 'resource'] },
  operation: {
    holds: 'what a request asks for, as data, and the parsers of lists and bodies; no I/O',
    may: [...roots, 'resource', 'value'],
  },
  policy: { holds: 'the rules applied: admit, permit, narrow', may: core },
  endpoint: {
    holds:
      'routes of no resource as one object each, with what documents say of them; it knows requests as `http/messages/exchange.ts` has them',
    may: [...core, 'policy'],
  },
  storage: { holds: 'the databases, and the only SQL', may: core },
  config: {
    holds: 'the environment, read once',
    may: ['errors', 'settings', 'limits', 'base', 'observe', 'resource', 'storage'],
  },
  backup: {
    holds: 'backups and copies of the log: made, checked, kept in a folder or a bucket, restored',
    may: [...roots, 'resource', 'storage'],
  },
  record: { holds: 'the one door for writes; it knows the interface of storage alone', may: [...core, 'storage'] },
  effects: {
    holds: 'work that writes leave: claimed, run, tried again, given up; it knows no kind of work by name',
    may: ['base', 'observe', 'resource', 'storage', 'record'],
  },
  mail: { holds: 'the words of mails, and how they leave; it knows no account', may: roots },
  perform: {
    holds: 'one permitted operation; it runs the steps of writes and knows none by name',
    may: [...core, 'config', 'policy', 'storage', 'record'],
  },
  command: {
    holds:
      'commands of features as one object each, and what they write and read with; it knows no parser of command lines',
    may: [...core, 'policy', 'storage', 'record', 'perform'],
  },
  http: { holds: 'the words of HTTP: requests, answers, bodies, credentials, statuses; the server', may: middle },
  accounts: {
    holds:
      'a feature, a folder a subject: credentials → principals; log-in, sessions, keys, factors, recovery by mail; its steps of writes, routes, commands',
    may: [...core, 'policy', 'endpoint', 'storage', 'record', 'perform', 'command', 'http'],
  },
  'response-cache': {
    holds: 'answers as bytes, with what they rest on',
    may: [...roots, 'resource', 'value', 'policy', 'storage', 'perform'],
  },
  rest: { holds: 'REST: routes and their handlers', may: [...middle, 'http', 'response-cache'] },
  graphql: { holds: 'GraphQL: the schema, and its resolvers', may: [...middle, 'http', 'response-cache'] },
  openapi: { holds: 'the OpenAPI document; it describes `rest/route.ts`', may: [...middle, 'http'] },
  pages: { holds: 'pages for people; they describe `rest/route.ts`', may: [...middle, 'http'] },
  mcp: { holds: 'tools for agents; they describe `rest/route.ts`', may: [...middle, 'http'] },
  client: { holds: 'the client, and what react-admin and Refine need of it; it runs in browsers', may: [] },
  create: { holds: 'a new application from templates; it is published alone, too', may: [] },
  develop: { holds: 'an application while it is written: it knows the files and the program alone', may: [] },
  cli: {
    holds: '`bindery …`, a file a command',
    may: [...middle, 'command', ...edges, 'backup', 'service', 'create', 'develop'],
  },
  service: {
    holds: 'puts it together: the engine, its routes, the start, the workers',
    may: [...middle, 'command', ...edges, ...features, 'effects', 'mail', 'backup', 'cli', 'create'],
  },
  index: { holds: 'the public entry', may: ['resource', 'accounts', 'service'] },
  bindery: { holds: 'the program', may: ['cli', 'base', 'create'] },
  testing: { holds: 'the entry for tests of applications', may: [...middle, ...edges, ...features, 'service'] },
}

/**
 * The table as ARCHITECTURE.md shows it. A room that may import most others names those it may not.
 */
export function roomsTable(): string {
  const all = Object.keys(rooms)
  const below = (name: string) => all.slice(0, all.indexOf(name))
  const shown = (name: string, may: readonly string[]) => {
    const own = all.filter((one) => one !== name && may.includes(one))
    const not = below(name).filter((one) => !may.includes(one))
    const above = own.filter((one) => !below(name).includes(one))
    const words = (names: readonly string[]) => names.map((one) => `\`${one}\``).join(' ')
    if (own.length === 0) return 'nothing'
    if (own.length <= 6 || not.length > 7) return words(own)
    const but = not.length === 0 ? '' : `, but not ${words(not)}`
    return `all above${but}${above.length === 0 ? '' : `; also ${words(above)}`}`
  }
  const lines = Object.entries(rooms).map(
    ([name, { holds, may }]) => `| \`${name}\` | ${holds} | ${shown(name, may)} |`,
  )
  return ['| Room | What lives there | May import |', '|---|---|---|', ...lines].join('\n')
}
