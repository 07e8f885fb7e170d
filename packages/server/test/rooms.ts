/**
 * The rooms (folders) of the engine from the bottom up: the content of each, and its permitted
 * imports. The architecture test checks every import by this table, and ARCHITECTURE.md shows it.
 */

export type Room = { readonly holds: string; readonly may: readonly string[] }

const roots = ['errors', 'base', 'limits', 'observe', 'settings']
const core = [...roots, 'resource', 'value', 'operation']
const middle = [...core, 'config', 'policy', 'endpoint', 'storage', 'record', 'perform']
const edges = ['http', 'response-cache', 'rest', 'graphql', 'openapi', 'pages', 'console', 'mcp']
/** Each is one room, with its logic, its steps of writes, its routes and its commands. */
const features = ['accounts', 'tenancy']

export const rooms: Readonly<Record<string, Room>> = {
  errors: { holds: 'the list of error codes, and the errors that carry them', may: [] },
  base: {
    holds:
      'time, ids, host names, folded texts, languages, sizes in words, optional packages; nothing in it knows the service',
    may: ['errors'],
  },
  limits: { holds: 'every limit of the server', may: [] },
  observe: { holds: 'metrics, traces and reports, and their exporters', may: ['errors', 'base'] },
  resource: {
    holds: 'declarations, their mistakes, the catalog; field types, rules, conditions, principals',
    may: ['errors', 'base'],
  },
  settings: {
    holds: 'the variables of the environment, one file for each subject',
    may: ['errors', 'base', 'resource'],
  },
  value: {
    holds: 'parsing of strict JSON, representation of stored values',
    may: ['errors', 'resource'],
  },
  operation: {
    holds: 'a request as data (`Operation`), and the parsers of lists and bodies; no I/O',
    may: [...roots, 'resource', 'value'],
  },
  policy: { holds: 'authorization by the rules: admit, permit, narrow', may: core },
  endpoint: {
    holds:
      'routes of no resource, each one object with its description for documents; it knows requests as `http/messages/exchange.ts` has them',
    may: [...core, 'policy'],
  },
  storage: { holds: 'the databases, and all SQL', may: core },
  config: {
    holds: 'the environment, read once',
    may: ['errors', 'settings', 'limits', 'base', 'observe', 'resource', 'storage'],
  },
  outgoing: {
    holds: 'the one door of HTTP requests to other services: checked addresses, bounds, redirects, proxies',
    may: ['observe'],
  },
  stores: {
    holds: 'places for objects, which backups and the files of records use: a folder, or a bucket of an S3',
    may: [...roots, 'outgoing'],
  },
  backup: {
    holds: 'backups and copies of the log in a place for objects: taken, checked, restored',
    may: [...roots, 'resource', 'storage', 'outgoing', 'stores'],
  },
  record: { holds: 'the one path of all writes; of storage it knows only the interface', may: [...core, 'storage'] },
  effects: {
    holds: 'effects, the work that writes leave for later: claimed, run, retried, given up; it knows no kind by name',
    may: ['base', 'observe', 'resource', 'storage', 'record', 'outgoing'],
  },
  schedules: {
    holds: 'the moments of schedules: decided once over all processes, and left as effects; their list for operators',
    may: ['base', 'observe', 'resource', 'storage', 'record', 'effects'],
  },
  mail: { holds: 'the texts of mails, and their delivery; it knows no account', may: [...roots, 'resource'] },
  perform: {
    holds: 'performs one permitted operation; it runs the steps of writes and knows none by name',
    may: [...core, 'config', 'policy', 'storage', 'record'],
  },
  code: {
    holds: 'what code of applications is given: records, transactions, requests to others, the log',
    may: [...core, 'policy', 'storage', 'record', 'outgoing', 'perform'],
  },
  command: {
    holds: 'commands of features, each one object, with their input and output; it knows no parser of command lines',
    may: [...core, 'policy', 'storage', 'record', 'perform'],
  },
  http: { holds: 'HTTP: requests, responses, bodies, credentials, statuses; the server', may: middle },
  jobs: {
    holds: 'jobs of the application: run as effects, cancelled, read by the caller who added one',
    may: [...core, 'policy', 'endpoint', 'storage', 'record', 'outgoing', 'effects', 'perform', 'code', 'http'],
  },
  accounts: {
    holds:
      'a feature with one folder for each subject: credentials → principals; log-in, sessions, keys, factors, recovery by mail; its steps of writes, routes, commands',
    may: [...core, 'policy', 'endpoint', 'storage', 'record', 'outgoing', 'perform', 'command', 'http'],
  },
  tenancy: {
    holds: 'a feature: memberships of callers, invitations, and the steps of their writes',
    may: [...roots, 'resource', 'policy', 'storage', 'record', 'accounts'],
  },
  files: {
    holds: 'a feature: files of records, with the steps of their writes, uploads, served bytes, the sweep',
    may: [...middle, 'outgoing', 'stores', 'effects', 'command', 'http', 'rest', 'response-cache'],
  },
  events: {
    holds: 'a feature: what a caller sees of changes, decided by the log; the feed of them, and live lists',
    may: [...middle, 'command', 'http', 'tenancy', 'rest', 'response-cache'],
  },
  'response-cache': {
    holds: 'cached responses as bytes, with their dependencies',
    may: [...roots, 'resource', 'value', 'policy', 'storage', 'perform'],
  },
  rest: { holds: 'REST: routes and their handlers', may: [...middle, 'http', 'response-cache', 'client'] },
  graphql: { holds: 'GraphQL: the schema, and its resolvers', may: [...middle, 'http', 'response-cache'] },
  openapi: { holds: 'the OpenAPI document; it describes `rest/route.ts`', may: [...middle, 'http'] },
  pages: { holds: 'HTML pages; they describe `rest/route.ts`', may: [...middle, 'http'] },
  console: {
    holds: 'the page of the console, its built files, and those of the application',
    may: [...middle, 'http', 'rest', 'client'],
  },
  mcp: { holds: 'tools for agents; they describe `rest/route.ts`', may: [...middle, 'http'] },
  operate: {
    holds: 'routes for those who run the service: backups, findings, settings, slow statements, waiting work, roles',
    may: [...middle, 'http', 'stores', 'backup', 'schedules', 'events'],
  },
  client: { holds: 'the client, with providers for react-admin and Refine; it runs in browsers', may: [] },
  create: { holds: 'creates an application from templates; it is also published alone', may: [] },
  develop: { holds: '`bindery dev` and `check`; it knows only its files and its process', may: [] },
  cli: {
    holds: '`bindery …`, one file for each command',
    may: [
      ...middle,
      'command',
      ...edges,
      'events',
      'jobs',
      'stores',
      'backup',
      'schedules',
      'service',
      'create',
      'develop',
    ],
  },
  webhook: { holds: 'the signatures of webhooks, for both ends: the entry for receivers', may: [] },
  webhooks: {
    holds: 'a feature: endpoints that are told of changes; deliveries, their tries and replays',
    may: [
      ...['errors', 'base', 'observe', 'resource', 'operation', 'policy', 'storage', 'record', 'perform'],
      ...['outgoing', 'effects', 'command', 'accounts', 'events', 'client', 'webhook'],
    ],
  },
  service: {
    holds: 'assembles the engine, its routes, the start, the workers',
    may: [
      ...middle,
      'command',
      ...edges,
      ...features,
      'files',
      'events',
      'webhooks',
      'operate',
      'code',
      'jobs',
      'effects',
      'schedules',
      'outgoing',
      'mail',
      'stores',
      'backup',
      'cli',
      'create',
    ],
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
    if (own.length <= 6 || not.length > 9) return words(own)
    const but = not.length === 0 ? '' : `, but not ${words(not)}`
    return `all above${but}${above.length === 0 ? '' : `; also ${words(above)}`}`
  }
  const lines = Object.entries(rooms).map(
    ([name, { holds, may }]) => `| \`${name}\` | ${holds} | ${shown(name, may)} |`,
  )
  return ['| Room | Content | May import |', '|---|---|---|', ...lines].join('\n')
}
